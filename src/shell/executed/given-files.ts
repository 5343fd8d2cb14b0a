// Files that are given to a program of which nothing is known: it may be an interpreter, and execute them.
import type { SourceFinder } from './source-finder.ts'
import { UNKNOWN } from './source-finder.ts'

/**
 * Programs whose operands are data: compilers that run nothing of what they compile, converters and archivers. Their options may
 * still name files that they load, such as `-fplugin=` of gcc.
 */
export const DATA_PROGRAMS: ReadonlySet<string> = new Set(
  (
    'cc c++ gcc g++ clang clang++ javac rustc ar as ld nm objcopy objdump ranlib readelf strip nasm yasm protoc flatc ' +
    'ffmpeg ffprobe sox convert magick identify mogrify cwebp dwebp jpegoptim optipng pngquant rsvg-convert exiftool ' +
    'mediainfo pdfinfo pdftoppm pdftotext qpdf xmllint iconv zstd brotli 7z unrar'
  ).split(' ')
)
/** Maximum number of words that are looked up. */
const MAX_WORDS = 200

/** Adds the files that the words name, as they are or as values of options. */
export const addGivenFiles: SourceFinder = (args, sources, program) => {
  const isData = DATA_PROGRAMS.has(program)
  const named = args
    .slice(0, MAX_WORDS)
    .flatMap(isData ? optionValue : word => [word, ...optionValue(word)])
    .filter(path => sources.exists(path))
  for (const path of named) sources.addFile(path)
  if (named.length > 0) sources.addUnknown(UNKNOWN.given)
}

/** Returns what may be a file in `--option=file`, `-xfile`, `-x:file` or `@file`. */
function optionValue(word: string): string[] {
  const value = /^(?:-[^=:]*[=:]|@)(.+)$/s.exec(word)?.[1]
  if (value !== undefined) return [value]
  return /^-[^-]./s.test(word) ? [word.slice(2)] : []
}
