// SPDX-License-Identifier: Apache-2.0

// Tables at the edge of what can be fitted: an answer is right, or the trouble is said in words.

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "linalg/random/rng_stream.hpp"
#include "support/answer.hpp"
#include "support/direct_solver.hpp"

namespace fedrk {
namespace {

using test::answer;
using test::Answer;
using test::expect_solved;
using test::worst_error;

using Row = std::vector<double>;

class Extremes : public testing::Test {
 protected:
  // Rows of u and v, and y = 2 + 3 u - v with some disturbance, as `shown` turns them into a line of the table.
  void write(const std::string& name, const std::string& header, int rows,
             const std::function<Row(double u, double v, double y)>& shown, double disturbance = 0.1) {
    std::string text = header + '\n';
    for (int i = 0; i < rows; ++i) {
      const double u = std::sin(1.7 * i) + 0.3 * (i % 4), v = std::cos(2.9 * i) - 0.2 * (i % 3);
      const Row row = shown(u, v, 2.0 + 3.0 * u - v + disturbance * std::sin(12.9898 * i));
      for (std::size_t j = 0; j < row.size(); ++j) text += fmt::format("{}{}", j == 0 ? "" : ",", row[j]);
      text += '\n';
    }
    program.folder().write(name, text);
  }
  void write_plain(int rows = 24) {
    write("plain.csv", "u,v,y", rows, [](double u, double v, double y) { return Row{u, v, y}; });
  }
  std::vector<double> plain() {
    write_plain();
    const Answer found = answer(program, "fit plain.csv --target y --clients 4");
    expect_solved(found);
    return found.coefficients();
  }
  std::string refusal(const std::string& arguments) const {
    const Answer found = answer(program, arguments);
    EXPECT_EQ(found.exit_code, 2) << arguments << '\n' << found.err;
    return found.err;
  }
  test::Program program;
};

TEST_F(Extremes, SitesOfOneRow) {
  const std::vector<double> truth = plain();
  for (const char* more : {"", " --participants 5", " --method cg", " --method cg --participants 5"}) {
    const Answer found = answer(program, std::string("fit plain.csv --target y --clients 24 --tolerance 1e-12") + more);

    expect_solved(found);
    EXPECT_LT(worst_error(found.coefficients(), truth), 1e-10) << more;
  }
}

TEST_F(Extremes, ATableWithoutRows) {
  write_plain();
  program.folder().write("empty.csv", "u,v,y\n");

  const std::string message = refusal("fit plain.csv empty.csv --target y");
  EXPECT_NE(message.find("empty.csv"), std::string::npos) << message;
  EXPECT_NE(message.find("row"), std::string::npos) << message;
}

TEST_F(Extremes, AConstantColumn) {
  const std::vector<double> truth = plain();
  write("constant.csv", "u,c,v,y", 24, [](double u, double v, double y) { return Row{u, 7.0, v, y}; });
  for (const std::string method : {"gram", "cg"}) {
    const Answer found =
        answer(program, "fit constant.csv --target y --clients 4 --tolerance 1e-12 --method " + method);

    expect_solved(found);
    const std::vector<double> x = found.coefficients();
    ASSERT_EQ(x.size(), 4u);
    EXPECT_TRUE(std::isnan(x[2])) << method << ' ' << x[2];
    EXPECT_LT(worst_error(std::vector{x[0], x[1], x[3]}, truth), 1e-9) << method;
    EXPECT_NE(found.err.find("Column 'c' is constant"), std::string::npos) << method << '\n' << found.err;
  }
}

TEST_F(Extremes, AColumnThatIsACombinationOfOthers) {
  const std::vector<double> truth = plain();
  write("collinear.csv", "u,v,w,y", 24, [](double u, double v, double y) { return Row{u, v, u - 2.0 * v, y}; });

  const Answer found = answer(program, "fit collinear.csv --target y --clients 4 --participants 2");

  expect_solved(found);
  const std::vector<double> x = found.coefficients();
  ASSERT_EQ(x.size(), 4u);
  EXPECT_EQ(std::ranges::count_if(x, [](double value) { return std::isnan(value); }), 1);
  EXPECT_NE(found.err.find("combination of"), std::string::npos) << found.err;
  EXPECT_EQ(found.result["model"]["rank"], 3);
  EXPECT_EQ(found.result["model"]["df_residual"], 21.0);
}

// The same model, told by the fitted values: b_u + b_w and so on, where u and v keep their coefficients.
TEST_F(Extremes, ALargeOffset) {
  const std::vector<double> truth = plain();
  write("offset.csv", "u,v,y", 24, [](double u, double v, double y) { return Row{u, v + 0x1p30, y}; });
  std::vector<double> moved = truth;
  for (const std::string method : {"gram", "cg"}) {
    const Answer found = answer(program, "fit offset.csv --target y --clients 4 --tolerance 1e-12 --method " + method);

    expect_solved(found);
    moved[0] = truth[0] - truth[2] * 0x1p30;
    EXPECT_LT(worst_error(found.coefficients(), moved), 1e-6) << method;  // v was rounded to 2^-23
  }
}

TEST_F(Extremes, AConstantTarget) {
  write("flat.csv", "u,v,y", 24, [](double u, double v, double) { return Row{u, v, 5.0}; });
  for (const std::string more : {"", " --method cg", " --participants 3"}) {
    const Answer found = answer(program, "fit flat.csv --target y --clients 8" + more);

    expect_solved(found);
    EXPECT_LT(worst_error(found.coefficients(), std::vector{5.0, 0.0, 0.0}), 1e-12) << more;
    EXPECT_TRUE(found.result["model"]["r_squared"].is_null()) << found.result["model"];
  }
}

TEST_F(Extremes, ATargetOfZeros) {
  write("zero.csv", "u,v,y", 24, [](double u, double v, double) { return Row{u, v, 0.0}; });
  for (const std::string method : {"gram", "cg"}) {
    const Answer found = answer(program, "fit zero.csv --target y --clients 8 --method " + method);

    expect_solved(found);
    EXPECT_EQ(found.coefficients(), (std::vector{0.0, 0.0, 0.0}));
  }
}

TEST_F(Extremes, FewerRowsThanColumns) {
  program.folder().write("wide.csv", "a,b,c,d,y\n1,2,0,4,1\n0,1,3,1,2\n2,0,1,1,4\n");

  const Answer found = answer(program, "fit wide.csv --target y --clients 3");

  // Two of five coefficients are not estimable, and both are named.
  const std::vector<double> x = found.coefficients();
  EXPECT_EQ(std::ranges::count_if(x, [](double value) { return std::isnan(value); }), 2);
  EXPECT_NE(found.err.find("combination of"), std::string::npos) << found.err;
  EXPECT_TRUE(found.result["model"]["sigma"].is_null());
}

TEST_F(Extremes, UnitsFarFromOne) {
  const std::vector<double> truth = plain();
  write("units.csv", "u,v,y", 24, [](double u, double v, double y) { return Row{u * 1e-150, v * 1e150, y}; });
  for (const std::string method : {"gram", "cg"}) {
    const Answer found = answer(program, "fit units.csv --target y --clients 4 --tolerance 1e-12 --method " + method);
    if (found.exit_code == 2) continue;  // a clear refusal

    expect_solved(found);
    EXPECT_LT(worst_error(found.coefficients(), std::vector{truth[0], truth[1] * 1e150, truth[2] * 1e-150}), 1e-9)
        << method;
  }
}

// As floats these rows would be scaled up as equations, which in a fit would be weights of 1e60.
TEST_F(Extremes, TinyRowsAsFloats) {
  program.folder().write("tiny.csv", "u,y\n1e-30,1e-30\n2e-45,1e-30\n3e-45,2e-30\n4,4.5\n1,1.25\n2,2\n");
  for (const std::string storage : {"float64", "float32"}) {
    const Answer found = answer(program, "fit tiny.csv --target y --clients 3 --no-intercept --storage " + storage);

    expect_solved(found);
    EXPECT_LT(worst_error(found.coefficients(), std::vector{(4 * 4.5 + 1.25 + 2 * 2) / 21.0}), 1e-12) << storage;
  }
}

TEST_F(Extremes, ColumnsInAnotherOrderInEveryFile) {
  const std::vector<double> truth = plain();
  std::string head = program.folder().read("plain.csv");
  write("first.csv", "u,v,y", 12, [](double u, double v, double y) { return Row{u, v, y}; });
  // The rows from the thirteenth on, in another order of columns.
  std::string text = "y,v,u\n";
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < head.size();) {
    const std::size_t end = head.find('\n', at);
    lines.push_back(head.substr(at, end - at));
    at = end + 1;
  }
  for (std::size_t i = 13; i < lines.size(); ++i) {
    const std::size_t one = lines[i].find(','), two = lines[i].find(',', one + 1);
    text +=
        lines[i].substr(two + 1) + ',' + lines[i].substr(one + 1, two - one - 1) + ',' + lines[i].substr(0, one) + '\n';
  }
  program.folder().write("second.csv", text);

  const Answer found = answer(program, "fit first.csv second.csv --target y");

  expect_solved(found);
  EXPECT_EQ(found.names(), (std::vector<std::string>{"(Intercept)", "u", "v"}));
  EXPECT_LT(worst_error(found.coefficients(), truth), 1e-12);
}

TEST_F(Extremes, AColumnTwiceUnderTwoNames) {
  write("first.csv", "u,again,y", 12, [](double u, double, double y) { return Row{u, u, y}; });
  write("second.csv", "again,y,u", 9, [](double u, double, double y) { return Row{u, y, u}; });

  const Answer found = answer(program, "fit first.csv second.csv --target y");

  expect_solved(found);
  const std::vector<double> x = found.coefficients();
  EXPECT_EQ(std::isnan(x[1]) + std::isnan(x[2]), 1);
  EXPECT_NE(found.err.find(std::isnan(x[1]) ? "'u' is a combination of again" : "'again' is a combination of u"),
            std::string::npos)
      << found.err;
}

TEST_F(Extremes, AColumnTwiceUnderOneName) {
  program.folder().write("twice.csv", "u,u,y\n1,2,3\n2,1,4\n3,5,1\n");

  const std::string message = refusal("fit twice.csv --target y");
  EXPECT_NE(message.find("'u'"), std::string::npos) << message;
}

}  // namespace
}  // namespace fedrk
