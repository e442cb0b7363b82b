// Reads the /// comments of a header and the declarations under them. It knows C++ as far as Sinter's headers use it: one declaration
// begins on a line of its own, and clang-format has indented what is inside something else.
#include <algorithm>
#include <cctype>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "docs/generate/pages.hpp"

namespace docs {
namespace {

constexpr std::size_t columns = 120;  // of code, as .clang-format has it

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  return begin == text.npos ? "" : text.substr(begin, end - begin + 1);
}
bool starts(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }
std::string replaced(const std::string& text, const char* what, const char* by) {
  return std::regex_replace(text, std::regex(what), by);
}

// Calls f(i, depth) for each character that is none of an operator's, with how many brackets it is in; until that gives true.
template <class F>
std::size_t find_outside(const std::string& text, F f) {
  static const std::regex symbols(R"(operator\s*[^\w\s(]{1,3}|<<|>=|<=|->)");
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::smatch symbol;
    const std::string ahead = text.substr(i, 12);
    if (std::regex_search(ahead, symbol, symbols, std::regex_constants::match_continuous)) {
      i += static_cast<std::size_t>(symbol.length()) - 1;
      continue;
    }
    if (text[i] == ')' || text[i] == '>') --depth;
    if (f(i, depth)) return i;
    if (text[i] == '(' || text[i] == '<') ++depth;
  }
  return text.npos;
}

// Where in a declaration its body, its initialisers or its end begin.
std::size_t end_of_declaration(const std::string& text) {
  return find_outside(text, [&](std::size_t i, int depth) {
    return depth == 0 && (text[i] == '{' || text[i] == ';' || text.compare(i, 3, " : ") == 0);
  });
}

// The text between the first bracket and the one that closes it; `at` is behind that then.
std::string bracketed(const std::string& text, std::size_t& at, char open, char close) {
  const std::size_t begin = ++at;
  for (int depth = 1; at < text.size(); ++at) {
    if (text[at] == open) ++depth;
    if (text[at] == close && --depth == 0) return text.substr(begin, at++ - begin);
  }
  return text.substr(begin);
}

// Parameters or template parameters, at the commas between them.
std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> all;
  std::string one;
  int depth = 0;
  for (const char c : text) {
    if (c == '(' || c == '<' || c == '{') ++depth;
    if (c == ')' || c == '>' || c == '}') --depth;
    if (c == ',' && depth == 0) all.push_back(trimmed(one)), one.clear();
    else one += c;
  }
  if (!trimmed(one).empty()) all.push_back(trimmed(one));
  return all;
}

// A declaration as a reader wants it: without what only the compiler needs. Template parameters that a call names stay, in angle
// brackets; those that it does not become what they stand for.
std::string signature_of(std::string text) {
  std::vector<std::string> named;
  if (starts(text, "template <")) {
    std::size_t at = 9;
    const std::vector<std::string> parameters = listed(bracketed(text, at, '<', '>'));
    text = trimmed(text.substr(at));
    for (const std::string& p : parameters) {
      const std::string name = replaced(p, R"(^.*?(\w+)(\s*=.*)?$)", "$1"), pack = p.find("...") != p.npos ? "..." : "";
      if (std::regex_search(p, std::regex(R"(\b(choice|element|real_element|whole_element) \w)")) ||
          starts(p, "std::size_t")) {
        if (std::regex_search(text, std::regex("\\(.*(array|lazy|vector)<" + name + ">"))) continue;  // deduced
        named.push_back(replaced(p, R"(^((sinter::)?detail::\w+|element|std::size_t) (\w+))", "$3"));
        continue;
      }
      const char* stands_for = p.find("scalar_operand") != p.npos || p.find("arithmetic") != p.npos ? "number" : "";
      if (p.find("expression") != p.npos) stands_for = "expression";
      if (p.find("index ") != p.npos || p.find("picks") != p.npos) stands_for = "index";
      if (p.find("mask_array") != p.npos) stands_for = "mask";
      if (name == "Axis") stands_for = "integer";  // or, in braces, by its name
      const std::string type = *stands_for ? stands_for : "any";
      text = std::regex_replace(text, std::regex("(const )?\\b" + name + R"(\b(&&|&|)(\.\.\.)? (\w))"),
                                type + pack + " $4");
    }
    text = replaced(text, R"(integer axis = \{(-?\d+)\})", "integer axis = $1");
  }
  if (starts(text, "requires")) {
    // A constraint is in parentheses, or a name with its arguments, or a requires-expression, which ends in a brace.
    std::size_t at = text.find_first_not_of(" ", 8);
    if (text[at] == '(') {
      bracketed(text, at, '(', ')');
    } else if (starts(text, "requires requires")) {
      at = text.find('}') + 1;
    } else {
      at = text.find_first_of("< ", at);
      if (at != text.npos && text[at] == '<') bracketed(text, at, '<', '>');
    }
    text = at == text.npos ? text : trimmed(text.substr(at));
  }
  text = replaced(
      text, R"(\b(SINTER_API|inline|constexpr|static|virtual|explicit|friend|\[\[nodiscard\]\]|detail::|sinter::)\s*)",
      "");
  text = replaced(text, R"(\[\[[a-z_:, ]*\]\] ?)", "");
  text = replaced(text, R"(, where at = where::current\(\)|where at = where::current\(\))", "");
  text = replaced(text, R"( (const)?\s*(&&|&)?\s*(noexcept)?\s*(override)?$)", "");
  text = replaced(text, R"(\) const( ?&&?)?( noexcept)?$)", ")");
  if (!named.empty()) {
    std::string list;
    for (const std::string& n : named) list += (list.empty() ? "" : ", ") + n;
    text = replaced(text, R"(^([^(]*?)(\w+)\()", ("$1$2<" + list + ">(").c_str());
  }
  return trimmed(replaced(text, R"(\s+)", " "));
}

// The name that a declaration declares: what stands before the first parenthesis, or at the end.
std::string name_in(const std::string& signature) {
  std::smatch found;
  if (std::regex_search(signature, found, std::regex(R"(^(?:class|struct|enum class|enum) (\w+))"))) return found[1];
  if (std::regex_search(signature, found, std::regex(R"(^using (?:.*::)?(\w+)( =.*)?$)"))) return found[1];
  if (std::regex_search(signature, found, std::regex(R"(operator ?([^\w\s(]{1,3}|\(\)))"))) return found[0];
  const std::size_t open =
      find_outside(signature, [&](std::size_t i, int depth) { return depth == 0 && signature[i] == '('; });
  std::string before = signature.substr(0, open);
  if (open == signature.npos) before = before.substr(0, before.find(" ="));
  if (!before.empty() && before.back() == '>') before = before.substr(0, before.rfind('<'));  // the ones a call names
  return std::regex_search(before, found, std::regex(R"((~?\w+)\s*$)")) ? std::string(found[1]) : "";
}

// The parts of a comment that have names, each to its end; before them the sentence.
void put_comment(entry& e, const std::string& comment) {
  static const std::regex begins(
      R"((^|[.;)] )((Shapes|Dtypes|Units|Errors|Stream behaviour|Threads|Source|Contents)((,| and) [a-z ]+)*: ))");
  std::vector<std::size_t> at;
  for (std::sregex_iterator i(comment.begin(), comment.end(), begins), end; i != end; ++i)
    at.push_back(static_cast<std::size_t>(i->position(2)));
  e.sentence = trimmed(comment.substr(0, at.empty() ? comment.npos : at[0]));
  for (std::size_t k = 0; k < at.size(); ++k) {
    const std::string part = trimmed(comment.substr(at[k], k + 1 < at.size() ? at[k + 1] - at[k] : comment.npos));
    if (!starts(part, "Source: ")) {
      e.parts.push_back(part);
      continue;
    }
    e.source = part.substr(8);
    if (!e.source.empty() && e.source.back() == '.') e.source.pop_back();
  }
}

// A data member or an enumerator as it is declared, and what its comment says.
struct member {
  std::string declaration, comment;
};

// What stands between the braces of a struct or an enum, line by line. Statements that declare something else are left out at the end,
// so that a comment behind one of them is not taken for its neighbour's.
class member_reader {
 public:
  member_reader(std::string name, bool is_enum) : name_(std::move(name)), is_enum_(is_enum) {}

  // Gives true at the brace that closes the type.
  bool take(const std::string& line) {
    const std::size_t slashes = std::min(line.find("//"), line.size());
    const std::string code = trimmed(line.substr(0, slashes)), note = line.substr(slashes);
    bool is_closed = false;
    for (std::size_t i = 0; i < code.size() && !is_closed; ++i) {
      const char c = code[i];
      if (c == '(' || c == '{') ++depth_;
      if (c == ')' || c == '}') --depth_;
      is_closed = depth_ < 0;
      const bool ends = depth_ == 0 && c == (is_enum_ ? ',' : ';');
      if (!ends && !is_closed) text_ += c;
      if (ends || is_closed || (depth_ == 0 && c == '}' && is_body(code, i))) finish();
    }
    text_ += ' ';
    const bool is_behind = starts(note, "///<"), is_of_last = is_behind && trimmed(text_).empty() && !all_.empty();
    if (is_of_last) all_.back().comment += note.substr(4);
    else if (starts(note, "///")) comment_ += note.substr(is_behind ? 4 : 3);
    return is_closed;
  }

  // In their order; none where some are private. A struct that is made by constructors has those, too.
  std::vector<member> members() const {
    static const std::regex access("^(public|private|protected):");
    std::vector<member> listed;
    for (member m : all_) {
      if (!is_enum_ && std::regex_search(m.declaration, access)) return {};
      if (!is_enum_ && is_function(m.declaration)) m.declaration = constructor(m.declaration);
      if (m.declaration.empty() || (!is_enum_ && is_other(m.declaration))) continue;
      m.declaration = replaced(m.declaration, R"((\bsinter::)?\bdetail::)", "");
      m.comment = trimmed(replaced(m.comment, R"(\s+)", " "));
      listed.push_back(m);
    }
    return listed;
  }

 private:
  void finish() {
    const std::string declaration = trimmed(replaced(text_, R"(\s+)", " "));
    if (!declaration.empty()) all_.push_back({declaration, comment_}), comment_.clear();
    text_.clear();
  }
  // Parameters come before any initialiser; those of a pointer to a function behind what is pointed to.
  static bool is_function(const std::string& text) {
    const std::size_t at = find_outside(text, [&](std::size_t i, int depth) {
      return depth == 0 && (text[i] == '(' || text[i] == '=' || text[i] == '{');
    });
    return at != text.npos && text[at] == '(' && text.compare(at, 2, "(*") != 0;
  }
  // Is this brace the last one of a function's body, and not of an initialiser before it? No semicolon comes behind that.
  bool is_body(const std::string& code, std::size_t at) const {
    const std::size_t next = code.find_first_not_of(' ', at + 1);
    return !is_enum_ && is_function(text_) && (next == code.npos || (code[next] != ',' && code[next] != '{'));
  }
  // What a designated initialiser cannot name. An option without an address is there to say what is written instead.
  static bool is_other(const std::string& text) {
    static const std::regex others(
        R"(^(static|using|friend|template|struct|class|enum|union) |^\[\[no_unique_address)");
    return std::regex_search(text, others);
  }
  // Without its body; empty for other functions, and where the compiler makes it.
  std::string constructor(const std::string& text) const {
    if (std::regex_search(text, std::regex("= (default|delete)$"))) return "";
    const std::string signature = signature_of(text.substr(0, end_of_declaration(text)));
    return starts(signature, (name_ + '(').c_str()) ? signature : "";
  }

  const std::string name_;
  const bool is_enum_;
  int depth_ = 0;
  std::string text_, comment_;
  std::vector<member> all_;
};

// A comment on lines of its own above a member.
std::string comment_above(const std::string& text) {
  std::string all, line;
  std::istringstream words(text);
  for (std::string word; words >> word; line += ' ' + word) {
    if (line.size() + 1 + word.size() + 4 <= columns) continue;
    all += "  //" + line + '\n';
    line.clear();
  }
  return all + "  //" + line + '\n';
}

// A struct or an enum with its members, each in a line with its comment; enumerators without comments in one, if they fit.
std::string with_members(const std::string& signature, const std::vector<member>& members, bool is_enum) {
  if (members.empty()) return signature;
  bool is_commented = false;
  std::string one_line = signature, lines = signature + " {\n";
  for (const member& m : members) {
    one_line += (&m == &members.front() ? " { " : ", ") + m.declaration;
    is_commented = is_commented || !m.comment.empty();
    const std::string code = "  " + m.declaration + (is_enum ? "," : ";");
    const bool is_above = code.size() + m.comment.size() + 5 > columns;
    if (!m.comment.empty() && is_above) lines += comment_above(m.comment);
    lines += code + (m.comment.empty() || is_above ? "" : "  // " + m.comment) + '\n';
  }
  return is_enum && !is_commented && one_line.size() + 3 <= columns ? one_line + " };" : lines + "};";
}

class reader {
 public:
  explicit reader(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    for (std::string line; std::getline(file, line);) lines_.push_back(line);
    read_.header = path.substr(path.rfind('/') + 1);
  }

  page read() {
    for (; at_ < lines_.size() && starts(lines_[at_], "//"); ++at_)
      read_.about += (at_ ? " " : "") + trimmed(lines_[at_].substr(2));
    for (; at_ < lines_.size(); ++at_) {
      const std::string& line = lines_[at_];
      const std::string inside = trimmed(line);
      if (std::regex_search(line, std::regex(R"(^namespace (sinter::)?(detail|runtime|codegen)\b.*\{$)")))
        skip_inside();
      else if (starts(line, "namespace ") && line.find("sinter {") == line.npos && line.back() == '{')
        open_namespace(line);
      else if (starts(line, "}  // namespace")) space_ = "";
      else if (starts(line, "};")) inside_ = "", last_ = "";
      else if (starts(inside, "private:") || starts(inside, "protected:")) skip_to("};"), inside_ = "", last_ = "";
      else if (starts(inside, "/// ") || is_type_ahead()) declared();
      else if (!last_.empty() && indent_of(line) == indent_ && is_overload(inside)) overload();
    }
    return std::move(read_);
  }

 private:
  // To the end of a namespace that is not for programs. Of a single line its end has no comment.
  void skip_inside() {
    if (at_ + 2 < lines_.size() && lines_[at_ + 2] == "}") return void(at_ += 2);
    while (at_ + 1 < lines_.size() && !starts(lines_[at_], "}  // namespace")) ++at_;
  }
  void skip_to(const char* end) {
    while (at_ + 1 < lines_.size() && lines_[at_] != end) ++at_;
  }
  void open_namespace(const std::string& line) {
    space_ = replaced(line.substr(10, line.size() - 12) + "::", "^sinter::", "");
  }

  // A declaration from the current line on, which is its last one then.
  std::string declaration() {
    const auto code = [&](std::size_t at) { return trimmed(lines_[at].substr(0, lines_[at].find("//"))); };
    std::string text = code(at_);
    while (end_of_declaration(text) == text.npos && at_ + 1 < lines_.size()) text += ' ' + code(++at_);
    return text.substr(0, end_of_declaration(text));
  }
  // The same of a macro that declares something of this name: SINTER_JOIN(name, ...) and its kin.
  std::string declared_by_macro() {
    const std::string line = lines_[at_];
    const std::size_t open = line.find('(');
    const std::string name = line.substr(open + 1, line.find_first_of(",)", open) - open - 1);
    if (starts(line, "SINTER_JOIN")) {
      const bool has_axis = line.find("SINTER_AXIS") != line.npos;
      return "auto " + name + (has_axis ? "(parts, integer axis = 0)" : "(parts)");
    }
    if (starts(line, "SINTER_NAN_FOLD")) return "auto " + name + "(expression e, const reduce_options& how = {})";
    return "auto " + name + "(...)";
  }

  // Does a struct or an enum begin here? Programs name its members, so that it is listed without a comment, too. What is further in is
  // of a class.
  bool is_type_ahead() const {
    static const std::regex type(R"(^(  )?(struct|enum class|enum) \w+( : [\w: ]+)? \{)");
    std::size_t at = at_;
    while (at + 1 < lines_.size() && (starts(lines_[at], "template <") || starts(trimmed(lines_[at]), "requires")))
      ++at;
    return std::regex_search(lines_[at], type) && (indent_of(lines_[at]) == 0 || !inside_.empty());
  }
  // A struct or an enum as the page has it. The current line is that of its closing brace then.
  std::string type(const std::string& whole, const std::string& signature) {
    while (lines_[at_].find('{') == std::string::npos && at_ + 1 < lines_.size()) ++at_;  // what it derives from
    const bool is_enum = starts(signature, "enum ");
    member_reader inside(name_in(signature), is_enum);
    std::string line = lines_[at_].substr(lines_[at_].find('{') + 1);
    while (!inside.take(line) && at_ + 1 < lines_.size()) line = lines_[++at_];
    std::string parameters;  // whose names the members have
    if (std::size_t at = 9; starts(whole, "template <"))
      parameters = "template <" + replaced(bracketed(whole, at, '<', '>'), R"((\bsinter::)?\bdetail::)", "") + ">\n";
    const std::vector<member> members = inside.members();
    return (members.empty() ? "" : parameters) + with_members(signature, members, is_enum);
  }

  void declared() {
    std::string comment;
    for (; starts(trimmed(lines_[at_]), "///"); ++at_) comment += ' ' + trimmed(trimmed(lines_[at_]).substr(3));
    indent_ = indent_of(lines_[at_]);
    const bool macro = starts(lines_[at_], "SINTER_") && !starts(lines_[at_], "SINTER_API");
    if (starts(lines_[at_], "#") || starts(lines_[at_], "namespace")) return;
    const std::string whole = macro ? declared_by_macro() : declaration(), signature = signature_of(whole);
    entry e;
    e.name = space_ + inside_ + name_in(signature);
    put_comment(e, trimmed(comment));
    if (starts(e.sentence, "Library use") || name_in(signature).empty() || starts(signature, "concept ") ||
        name_in(signature) == "requires")
      return;
    const bool is_defined = lines_[at_].find('{') != std::string::npos || lines_[at_].back() != ';';
    const bool has_members = std::regex_search(signature, std::regex(R"(^(struct|enum) [^(]*$)")) && is_defined;
    e.signatures.push_back(has_members ? type(whole, signature) : signature);
    last_ = has_members ? "" : e.name;
    for (entry& known : read_.entries)
      if (known.name == e.name) return add_overload(known, e);
    read_.entries.push_back(e);
    const bool is_one_line = lines_[at_].find("};") != std::string::npos || lines_[at_].back() == ';';
    if (starts(signature, "class ") && !is_one_line) inside_ = name_in(signature) + "::";
  }
  // What else one of several of a name does.
  static void add_overload(entry& known, const entry& e) {
    known.signatures.push_back(e.signatures.front());
    known.sentence += "\n\n" + e.sentence;
    for (const std::string& p : e.parts) known.parts.push_back(p);
    if (known.source.empty()) known.source = e.source;
    else if (!e.source.empty() && e.source != known.source) known.source += ", " + e.source;
  }

  static std::size_t indent_of(const std::string& line) { return line.find_first_not_of(' '); }
  static bool is_overload(const std::string& line) {
    return std::regex_search(line, std::regex("^(template <|auto |inline |SINTER_API |array<|lazy<|void )"));
  }
  // Without a comment of its own a declaration belongs to the one before, if it has its name and is not there to be refused.
  void overload() {
    const std::string text = declaration();
    static const std::regex is_refused(
        R"(refused<|no_element<|no_expression|no_axis|no_shape|no_parts|not_element|no_option|no_operand|no_change|no_list)"
        R"(|no_memory|no_dtype|!detail::operand<V>|array\((const )?V\b)");
    if (std::regex_search(text, is_refused)) return;
    const std::string signature = signature_of(text);
    const std::string name = space_ + inside_ + name_in(signature);
    for (entry& known : read_.entries) {
      if (known.name != last_ || known.signatures.back() == signature) continue;
      const bool is_listed = std::regex_search(known.source, std::regex("\\b" + name_in(signature) + "\\b"));
      if (name != last_ && !is_listed) continue;
      known.signatures.push_back(signature);
      if (name != last_) known.also.push_back(name);
    }
  }

  std::vector<std::string> lines_;
  std::size_t at_ = 0, indent_ = 0;
  std::string space_, inside_, last_;
  page read_;
};

}  // namespace

page read_header(const std::string& path) { return reader(path).read(); }

}  // namespace docs
