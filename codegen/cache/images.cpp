// Joins compiler and disk cache, the last step of codegen before the runtime loads an image; also SINTER_DUMP and SINTER_DUMP_ALSO.
// Invariant: neither the cache nor the dump can change the outcome of image_for, only how long it takes.
#include "codegen/cache/images.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>

#include "codegen/cache/entry.hpp"
#include "codegen/cache/notice.hpp"
#include "codegen/compile/disassemble.hpp"
#include "codegen/compile/file.hpp"

namespace sinter::codegen {
namespace {

// Where SINTER_DUMP wants the files of one kernel: <folder>/<first half of the key>, without an ending.
std::optional<std::string> dump_stem(const compiler& with, std::string_view source) {
  const char* folder = ::secure_getenv("SINTER_DUMP");
  if (!folder || !*folder) return std::nullopt;
  std::error_code failed;  // a folder that is not there after this shows when its files are written
  std::filesystem::create_directories(folder, failed);
  return std::string(folder) + "/" + entry_key(with.identity(), source).substr(0, 16);
}

void dump_file(const std::string& path, const void* data, std::size_t size) {
  const unique_fd file = open_file(AT_FDCWD, path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, 0644);
  if (file && write_all(file.get(), data, size)) return;
  warn_once(notice::unwritable_dump, "SINTER_DUMP: cannot write " + path + ": " + std::strerror(errno));
}

// A CUDA image that is no ELF file is PTX, for a GPU newer than the compiler.
const char* image_ending(const compiler& with, const bytes& image) {
  if (std::strcmp(with.extension(), "cu") != 0) return ".so";
  return image.size() >= 4 && std::memcmp(image.data(), "\177ELF", 4) == 0 ? ".cubin" : ".ptx";
}

// What SINTER_DUMP_ALSO asks for, words between commas, as far as there is that of this dialect.
void dump_readings(const compiler& with, const std::string& stem, std::string_view source, const bytes& image) try {
  const char* const asked = ::secure_getenv("SINTER_DUMP_ALSO");
  bool ptx = false, sass = false, assembly = false;
  for (std::string_view left = asked ? asked : ""; !left.empty();) {
    const std::string_view word = left.substr(0, left.find(','));
    left.remove_prefix(std::min(word.size() + 1, left.size()));
    if (word == "ptx") ptx = true;
    else if (word == "sass") sass = true;
    else if (word == "assembly") assembly = true;
    else throw error(("\"" + std::string(word) + "\" is none of ptx, sass and assembly").c_str());
  }
  const auto dump_text = [&](const char* ending, const std::string& text) {
    dump_file(stem + ending, text.data(), text.size());
  };
  if (std::strcmp(with.extension(), "cu") != 0) {
    if (assembly) dump_text(".s", with_head("", disassemble(image)));
  } else if (ptx || sass) {
    const compiled_text made = with.compile_to_read(source);
    if (ptx) dump_text(".ptx", made.between);
    if (sass) dump_text(".sass", with_head(made.uses, disassemble(image)));
  }
} catch (const std::exception& e) {
  warn_once(notice::no_listing, std::string("SINTER_DUMP_ALSO: ") + e.what());
}

bytes load_or_compile(disk_cache& cache, const compiler& with, std::string_view source, image_origin& from) {
  if (std::optional<bytes> found = cache.load(with.identity(), source)) {
    from = image_origin::disk;
    return std::move(*found);
  }
  bytes image = with.compile(source);
  from = image_origin::compiled;
  cache.store(with.identity(), source, image);
  return image;
}

}  // namespace

std::shared_ptr<const bytes> image_for(disk_cache& cache, const compiler& with, std::string_view source,
                                       image_origin* from) {
  // The source first: it is wanted most when it does not compile.
  const std::optional<std::string> stem = dump_stem(with, source);
  if (stem) dump_file(*stem + "." + with.extension(), source.data(), source.size());
  image_origin origin;
  auto image = std::make_shared<const bytes>(load_or_compile(cache, with, source, origin));
  if (stem) dump_file(*stem + image_ending(with, *image), image->data(), image->size());
  if (stem) dump_readings(with, *stem, source, *image);
  if (from) *from = origin;
  return image;
}

std::shared_ptr<const bytes> image_for(const compiler& with, std::string_view source, image_origin* from) {
  return image_for(disk_cache::global(), with, source, from);
}

std::shared_ptr<const bytes> image_for(const module_text& text, int arch, image_origin* from) {
  const std::unique_ptr<compiler> with = make_module_compiler(text, arch);
  if (!includes_files(text)) return image_for(*with, text.source, from);
  disk_cache none("", 0);
  return image_for(none, *with, text.source, from);
}

}  // namespace sinter::codegen
