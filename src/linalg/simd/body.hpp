// SPDX-License-Identifier: Apache-2.0

// The kernels for the instruction set that the including file is compiled for, which says the table's name as
// FEDRK_KERNEL_TABLE. One inclusion is one table.
//
// Everything is in unnamed namespaces and nothing comes from the standard library, or a function compiled here with
// wide instructions might be the copy that the linker keeps for the whole program.

#include "linalg/simd/gram_steps.hpp"
#include "linalg/simd/kernel_table.hpp"
#include "linalg/simd/pairs.hpp"
#include "linalg/simd/panels.hpp"
#include "linalg/simd/philox.hpp"
#include "linalg/simd/products.hpp"
#include "linalg/simd/rows.hpp"

namespace fedrk::detail {
namespace {

template <class Number>
constexpr RowKernels<Number> kRowKernels{
    dot<Number>,          squared_norm<Number>, zero_sum<Number>, axpy<Number>,         axpy_minus<Number>,
    axpy_dot<Number>,     dot4<Number>,         axpy4<Number>,    centred_dots<Number>, add_centred_rows<Number>,
    add_products<Number>, sparse_dot<Number>,   pack_row<Number>, pack_pair_row<Number>};

}  // namespace

const KernelTable FEDRK_KERNEL_TABLE{kRowKernels<double>, kRowKernels<float>, squared_distance,
                                     add_outer_products,  add_outer_pairs,    add_sparse_pairs,
                                     power_pairs,         gram_steps,         philox};

}  // namespace fedrk::detail
