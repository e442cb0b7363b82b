// What a row of ops.def says in words: the texts of generated source, and what documents and tests need.
#pragma once

namespace sinter::codegen {

struct op_texts {
  /// Of floating operands a, b, c. $ is f for float and nothing for double, also after a literal; T is the type computed in; name@(...)
  /// calls a helper of codegen/source/prelude.def made for that type.
  const char* cuda = "";
  const char* c = nullptr;  // null: as cuda
  /// Of integer and bool operands. U is unsigned int or, of 8 bytes, unsigned long long, so that overflow wraps as NumPy's does. Each text
  /// is worth its conversion to the type the operation gives, so it initialises a variable of that type.
  const char* integer = "";
  /// The documented bound of the default mode on either device; 0: correctly rounded. Where terms can cancel (logaddexp, logaddexp2,
  /// gammaln, digamma, betainc, betaln, j0 to yn) the unit is that of the largest of 1, the operands and the result.
  double ulp = 0;
  const char* numpy = "";  // NumPy's spelling, or SciPy's
  const char* says = "";
};

}  // namespace sinter::codegen
