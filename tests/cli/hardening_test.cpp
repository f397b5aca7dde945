// SPDX-License-Identifier: Apache-2.0

// What cmake/hardening.cmake asks for is in the programs as they were built: read from the files themselves.

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace fedrk {
namespace {

static_assert(sizeof(void*) == 8, "the tables below are those of 64 bits");

/// A linked program of this machine.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(in), {});
    header_ = at<Elf64_Ehdr>(0);
    for (std::size_t k = 0; k < header_.e_phnum; ++k) {
      segments_.push_back(at<Elf64_Phdr>(header_.e_phoff + k * header_.e_phentsize));
    }
    const auto table = segment(PT_DYNAMIC);
    if (!table) return;
    for (std::size_t k = 0; k * sizeof(Elf64_Dyn) < table->p_filesz; ++k) {
      entries_.push_back(at<Elf64_Dyn>(table->p_offset + k * sizeof(Elf64_Dyn)));
    }
  }

  bool is_elf() const { return std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0; }
  const Elf64_Ehdr& header() const { return header_; }
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }

  std::optional<Elf64_Phdr> segment(std::uint32_t type) const {
    for (const Elf64_Phdr& each : segments_) {
      if (each.p_type == type) return each;
    }
    return std::nullopt;
  }
  /// Of the dynamic section; zero where it has none.
  std::uint64_t entry(std::int64_t tag) const {
    for (const Elf64_Dyn& each : entries_) {
      if (each.d_tag == tag) return each.d_un.d_val;
    }
    return 0;
  }
  /// The names of what is linked at run time, each between zero bytes.
  std::string_view names() const { return bytes(offset_of(entry(DT_STRTAB)), entry(DT_STRSZ)); }
  /// How often these bytes stand in what can be executed.
  std::size_t count_in_code(std::string_view pattern) const {
    std::size_t count = 0;
    for (const Elf64_Phdr& each : segments_) {
      if (each.p_type != PT_LOAD || (each.p_flags & PF_X) == 0) continue;
      const std::string_view code = bytes(each.p_offset, each.p_filesz);
      for (std::size_t k = code.find(pattern); k != std::string_view::npos; k = code.find(pattern, k + 1)) ++count;
    }
    return count;
  }

 private:
  std::string_view bytes(std::uint64_t offset, std::uint64_t size) const {
    return offset + size <= bytes_.size() ? std::string_view(bytes_).substr(offset, size) : std::string_view();
  }
  template <class Part>
  Part at(std::uint64_t offset) const {
    Part part{};
    const std::string_view found = bytes(offset, sizeof part);
    std::memcpy(&part, found.data(), found.size());
    return part;
  }
  std::uint64_t offset_of(std::uint64_t address) const {
    for (const Elf64_Phdr& each : segments_) {
      const bool here = each.p_type == PT_LOAD && address >= each.p_vaddr && address < each.p_vaddr + each.p_filesz;
      if (here) return address - each.p_vaddr + each.p_offset;
    }
    return 0;
  }

  std::string bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Dyn> entries_;
};

struct Installed {
  const char* name;
  const char* path;
};

class Hardening : public testing::TestWithParam<Installed> {
 protected:
  void SetUp() override { ASSERT_TRUE(file_.is_elf()) << GetParam().path; }
  bool asks_for(std::string_view name) const {
    return file_.names().find('\0' + std::string(name) + '\0') != std::string_view::npos;
  }

  ElfFile file_{GetParam().path};
};

constexpr Installed kInstalled[] = {
    {"fedrk", FEDRK_PROGRAM},
#ifdef FEDRK_MPI_PROGRAM
    {"fedrk_mpi", FEDRK_MPI_PROGRAM},
#endif
};
INSTANTIATE_TEST_SUITE_P(Programs, Hardening, testing::ValuesIn(kInstalled),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(Hardening, LoadsTheProgramAtAnAddressThatNobodyKnows) {
  EXPECT_EQ(file_.header().e_type, ET_DYN);
  EXPECT_TRUE(file_.segment(PT_INTERP)) << "a library, not a program";
  EXPECT_NE(file_.entry(DT_FLAGS_1) & DF_1_PIE, 0U);
}

TEST_P(Hardening, FindsAllAddressesAtTheStartInPagesThatAreThenReadOnly) {
  EXPECT_TRUE(file_.segment(PT_GNU_RELRO));
  EXPECT_TRUE((file_.entry(DT_FLAGS) & DF_BIND_NOW) != 0 || (file_.entry(DT_FLAGS_1) & DF_1_NOW) != 0);
  EXPECT_EQ(file_.entry(DT_TEXTREL), 0U) << "code that is written to as it is loaded";
}

TEST_P(Hardening, ExecutesNothingThatCanBeWritten) {
  const auto stack = file_.segment(PT_GNU_STACK);
  ASSERT_TRUE(stack) << "without it the stack is executable";
  EXPECT_EQ(stack->p_flags & PF_X, 0U);
  for (const Elf64_Phdr& each : file_.segments()) {
    EXPECT_NE(each.p_flags & (PF_W | PF_X), PF_W | PF_X) << "at " << each.p_vaddr;
  }
}

TEST_P(Hardening, GuardsTheStack) {
  EXPECT_TRUE(asks_for("__stack_chk_fail"));
#ifdef __x86_64__
  EXPECT_GT(file_.count_in_code(std::string_view("\x48\x83\x0c\x24\x00", 5)), 0U) << "orq $0, (%rsp) in large frames";
#endif
}

TEST_P(Hardening, ChecksTheLengthsOfCopies) {
#ifndef FEDRK_FORTIFIED
  GTEST_SKIP() << "only an optimised build knows lengths";
#endif
  EXPECT_TRUE(asks_for("__memcpy_chk") || asks_for("__memmove_chk") || asks_for("__memset_chk")) << "none of three";
}

TEST_P(Hardening, MarksWhereJumpsMayLead) {
#ifndef __x86_64__
  GTEST_SKIP() << "the bytes are those of x86-64";
#endif
  EXPECT_GT(file_.count_in_code("\xf3\x0f\x1e\xfa"), 1000U) << "endbr64 at the beginning of functions";
}

}  // namespace
}  // namespace fedrk
