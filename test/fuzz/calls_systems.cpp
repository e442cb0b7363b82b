// Systems of equations, factorisations and eigenvalues, of matrices whose diagonals outweigh the rest: their condition numbers are small,
// whatever the operands are.
#include <cmath>

#include <sinter/create.hpp>
#include <sinter/linalg.hpp>

#include "test/fuzz/call_rows.hpp"

namespace sinter::fuzz {

namespace {

using namespace call_rows;

constexpr std::int64_t most_rows = 40;

dtype solved(const outlines& of) { return detail::solved_dtype(promoted(of)); }
bool has_matrices(const outline& o) {
  return o.extents.size() >= 2 && last(o) <= most_rows && last(o, 2) <= most_rows && o.extents.elements() > 0;
}
bool has_squares(const outline& o) { return has_matrices(o) && last(o) == last(o, 2); }
maybe square_gives(const step&, const outlines& of) {
  return has_squares(of[0]) ? maybe({solved(of), of[0].extents}) : maybe();
}
/// Any matrices, as they come.
maybe matrix_gives(const step&, const outlines& of) {
  return has_matrices(of[0]) ? maybe({solved(of), of[0].extents}) : maybe();
}
maybe values_gives(const step&, const outlines& of, int axes_less, dtype type) {
  outline to{type, of[0].extents};
  to.extents.set_size(to.extents.size() - axes_less);
  return to;
}

template <class F>
auto with_solved(dtype t, F&& f) {
  return with_one_of<float, double, std::complex<float>, std::complex<double>>(t, f);
}
/// x / n + 2 on the diagonal, of a tamed x.
handle well_behaved(const handle& h, dtype type) {
  return with_solved(type, [&](auto t) {
    using T = decltype(t);
    const std::int64_t n = shape_of(h)[shape_of(h).size() - 1];
    return handle((typed<T>(tamed(h, type)) / static_cast<double>(n) + 2 * eye<T>(n)).share());
  });
}
handle symmetric(const handle& h, dtype type) {
  const handle a = well_behaved(h, type);
  return with_solved(type, [&](auto t) {
    using T = decltype(t);
    const lazy<T> x = typed<T>(a);
    return handle(((x + conj(typed<T>(turned(a)))) / 2).share());
  });
}
std::string cpp_well_behaved(const std::string& of, dtype type) {
  return "[](const auto& x) { return x / double(x.shape()[x.ndim() - 1]) + 2 * eye(x.shape()[x.ndim() - 1]); }(" +
         cpp_tamed(of, type) + ")";
}
std::string cpp_symmetric(const std::string& of, dtype type) {
  return "[](const auto& x) { return (x + conj(matrix_transpose(x))) / 2; }(" + cpp_well_behaved(of, type) + ")";
}
std::string python_of(const char* matrix, const std::string& of, dtype type) {
  return std::string("fz.") + matrix + "(" + of + ", " + type_text(type) + ")";
}

scale scaled_by_rows(const step&, const outlines& of) {
  const auto n = static_cast<double>(std::max(last(of[0]), last(of[0], 2)));
  return {100 * n, 8};
}
/// The result is what was factored, made of the factors again.
template <class F>
detail::node* remade(const handle& h, dtype type, F&& of) {
  return with_solved(type, [&](auto t) { return of(typed<decltype(t)>(h)).share(); });
}

const call_row rows[] = {
    {"solve", 2, closeness::tamed,
     [](const step&, const outlines& of) -> maybe {
       if (!has_squares(of[0]) || of[1].extents.size() < 2 || last(of[1], 2) != last(of[0])) return {};
       shape to = listed({of[0].extents.begin(), of[0].extents.end() - 2});
       if (!codegen::broadcast(to, listed({of[1].extents.begin(), of[1].extents.end() - 2}))) return {};
       std::vector<std::int64_t> all(to.begin(), to.end());
       all.push_back(last(of[0])), all.push_back(last(of[1]));
       if (all.size() > std::size_t{max_rank} || last(of[1]) == 0) return {};
       return outline{solved(of), listed(all)};
     },
     [](const step&, const handles& o, dtype result) {
       return detail::make_solve(well_behaved(o[0], result), tamed(o[1], result), result);
     },
     [](const step&, const texts& o, dtype result) {
       return "linalg::solve(" + cpp_well_behaved(o[0], result) + ", " + cpp_tamed(o[1], result) + ")";
     },
     [](const step&, const texts& o, dtype result) {
       return "np.linalg.solve(" + python_of("well_behaved", o[0], result) + ", " + python_tamed(o[1], result) + ")";
     },
     scaled_by_rows},
    {"inv", 1, closeness::tamed, square_gives,
     [](const step&, const handles& o, dtype result) {
       return detail::make_inverse(well_behaved(o[0], result), result);
     },
     [](const step&, const texts& o, dtype result) { return "linalg::inv(" + cpp_well_behaved(o[0], result) + ")"; },
     [](const step&, const texts& o, dtype result) {
       return "np.linalg.inv(" + python_of("well_behaved", o[0], result) + ")";
     },
     scaled_by_rows},
    {"det", 1, closeness::tamed,
     [](const step& s, const outlines& of) {
       return has_squares(of[0]) ? values_gives(s, of, 2, solved(of)) : maybe();
     },
     [](const step&, const handles& o, dtype result) {
       return detail::make_determinant(well_behaved(o[0], result), result);
     },
     [](const step&, const texts& o, dtype result) { return "linalg::det(" + cpp_well_behaved(o[0], result) + ")"; },
     [](const step&, const texts& o, dtype result) {
       return "np.linalg.det(" + python_of("well_behaved", o[0], result) + ")";
     },
     [](const step&, const outlines& of) -> scale {
       const auto n = static_cast<double>(last(of[0]));
       return {100 * n, std::pow(3, n)};
     }},
    {"slogdet", 1, closeness::tamed,
     [](const step& s, const outlines& of) {
       return has_squares(of[0]) ? values_gives(s, of, 2, solved(of)) : maybe();
     },
     [](const step&, const handles& o, dtype result) {
       detail::node* made[2];
       detail::make_slogdet(well_behaved(o[0], result), result, made);
       const handle sign(made[0]), size = cast(handle(made[1]), result);
       return apply(op::multiply, {sign, size}).take();
     },
     [](const step&, const texts& o, dtype result) {
       return "[](auto r) { return r.sign * r.logabsdet; }(linalg::slogdet(" + cpp_well_behaved(o[0], result) + "))";
     },
     [](const step&, const texts& o, dtype result) {
       return "fz.product(*np.linalg.slogdet(" + python_of("well_behaved", o[0], result) + "))";
     },
     scaled_by_rows},
    {"cholesky", 1, closeness::tamed, square_gives,
     [](const step&, const handles& o, dtype result) {
       return detail::make_cholesky(symmetric(o[0], result), result, true, "cholesky");
     },
     [](const step&, const texts& o, dtype result) { return "linalg::cholesky(" + cpp_symmetric(o[0], result) + ")"; },
     [](const step&, const texts& o, dtype result) {
       return "np.linalg.cholesky(" + python_of("symmetric", o[0], result) + ")";
     },
     scaled_by_rows},
    {"eigvalsh", 1, closeness::tamed,
     [](const step& s, const outlines& of) {
       return has_squares(of[0]) && !detail::is_complex(of[0].type) ? values_gives(s, of, 1, solved(of)) : maybe();
     },
     [](const step&, const handles& o, dtype result) {
       detail::node* made[1];
       detail::make_symmetric_eigen(symmetric(o[0], result), result, 'L', false, made);
       return made[0];
     },
     [](const step&, const texts& o, dtype result) { return "linalg::eigvalsh(" + cpp_symmetric(o[0], result) + ")"; },
     [](const step&, const texts& o, dtype result) {
       return "np.linalg.eigvalsh(" + python_of("symmetric", o[0], result) + ")";
     },
     scaled_by_rows},
    {"svdvals", 1, closeness::tamed,
     [](const step& s, const outlines& of) -> maybe {
       if (!has_matrices(of[0]) || detail::is_complex(of[0].type)) return {};
       outline to = *values_gives(s, of, 1, solved(of));
       to.extents[to.extents.size() - 1] = std::min(last(of[0]), last(of[0], 2));
       return to;
     },
     [](const step&, const handles& o, dtype result) {
       return detail::make_singular_values(tamed(o[0], result), result);
     },
     [](const step&, const texts& o, dtype result) { return "linalg::svdvals(" + cpp_tamed(o[0], result) + ")"; },
     [](const step&, const texts& o, dtype result) {
       return "np.linalg.svd(" + python_tamed(o[0], result) + ", compute_uv=False)";
     },
     scaled_by_rows},
    {"svd", 1, closeness::tamed, matrix_gives,
     [](const step&, const handles& o, dtype result) {
       return remade(tamed(o[0], result), result, [](const auto& x) {
         const auto f = linalg::svd(x, {.full_matrices = false});
         return matmul(f.U * expand_dims(f.S, {-2}), f.Vh);
       });
     },
     [](const step&, const texts& o, dtype result) {
       return "[](auto f) { return matmul(f.U * expand_dims(f.S, {-2}), f.Vh); }(linalg::svd(" +
              cpp_tamed(o[0], result) + ", {.full_matrices = false}))";
     },
     [](const step&, const texts& o, dtype result) { return python_tamed(o[0], result); }, scaled_by_rows},
    {"qr", 1, closeness::tamed, matrix_gives,
     [](const step&, const handles& o, dtype result) {
       return remade(tamed(o[0], result), result, [](const auto& x) {
         const auto f = linalg::qr(x);
         return matmul(f.Q, f.R);
       });
     },
     [](const step&, const texts& o, dtype result) {
       return "[](auto f) { return matmul(f.Q, f.R); }(linalg::qr(" + cpp_tamed(o[0], result) + "))";
     },
     [](const step&, const texts& o, dtype result) { return python_tamed(o[0], result); }, scaled_by_rows},
    {"lu", 1, closeness::tamed, matrix_gives,
     [](const step&, const handles& o, dtype result) {
       return remade(tamed(o[0], result), result, [](const auto& x) {
         const auto f = linalg::lu(x);
         return matmul(matmul(f.P, f.L), f.U);
       });
     },
     [](const step&, const texts& o, dtype result) {
       return "[](auto f) { return matmul(matmul(f.P, f.L), f.U); }(linalg::lu(" + cpp_tamed(o[0], result) + "))";
     },
     [](const step&, const texts& o, dtype result) { return python_tamed(o[0], result); }, scaled_by_rows},
    {"eigh", 1, closeness::tamed, square_gives,
     [](const step&, const handles& o, dtype result) {
       return remade(symmetric(o[0], result), result, [](const auto& x) {
         const auto f = linalg::eigh(x);
         const auto v = f.eigenvectors;
         return matmul(v * expand_dims(f.eigenvalues, {-2}), conj(matrix_transpose(v)));
       });
     },
     [](const step&, const texts& o, dtype result) {
       return "[](auto f) { auto v = f.eigenvectors; return matmul(v * expand_dims(f.eigenvalues, {-2}), "
              "conj(matrix_transpose(v))); }(linalg::eigh(" +
              cpp_symmetric(o[0], result) + "))";
     },
     [](const step&, const texts& o, dtype result) { return python_of("symmetric", o[0], result); }, scaled_by_rows},
    {"matrix_power", 1, closeness::tamed, square_gives,
     [](const step& s, const handles& o, dtype result) {
       return detail::make_matrix_power(well_behaved(o[0], result), small(s, 0) - 1);
     },
     [](const step& s, const texts& o, dtype result) {
       return "linalg::matrix_power(" + cpp_well_behaved(o[0], result) + ", " + text(small(s, 0) - 1) + ")";
     },
     [](const step& s, const texts& o, dtype result) {
       return "np.linalg.matrix_power(" + python_of("well_behaved", o[0], result) + ", " + text(small(s, 0) - 1) + ")";
     },
     scaled_by_rows},
};

}  // namespace

std::span<const call_row> system_rows() { return rows; }

}  // namespace sinter::fuzz
