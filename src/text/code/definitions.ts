// Detects definitions, by language: cheap patterns for single lines, as data. They need not be complete: they determine where a
// chunk may begin, and which names outweigh mere uses.

interface Language {
  /** Suffixes of file names, or whole names. */
  files: RegExp
  /** The first matching group is the defined name. */
  defines: readonly RegExp[]
  /** A line that is only a comment, or prose. */
  prose: RegExp
}

const SLASHES = /^\s*(?:\/\/|\/\*|\*(?![\w=(])|\*\/)/
const HASHES = /^\s*(?:#(?!!|include|define|if|else|end|undef|pragma)|""")/
const NOT_A_METHOD = '(?!(?:if|for|while|switch|catch|function|return|else|do|try|await|new|throw|with)\\b)'

const LANGUAGES: readonly Language[] = [
  {
    files: /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/,
    defines: [
      /^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\s*\*?|class|interface|enum|namespace)\s+([\w$]+)/,
      /^(?:export\s+)?(?:declare\s+)?type\s+([\w$]+)/,
      /^(?:export\s+)?(?:const|let|var)\s+([\w$]+)/,
      new RegExp(
        `^\\s+(?:(?:public|private|protected|static|async|get|set|override|readonly)\\s+)*\\*?\\s*${NOT_A_METHOD}#?([\\w$]+)\\s*(?:<[^>]*>)?\\([^;]*\\{\\s*$`
      )
    ],
    prose: SLASHES
  },
  {
    files: /\.(?:py|pyi|pyx)$/,
    defines: [/^\s*(?:async\s+)?(?:def|class)\s+(\w+)/, /^([A-Z_][A-Z0-9_]*)\s*(?::[^=]+)?=/],
    prose: HASHES
  },
  {
    files: /\.go$/,
    defines: [/^func\s+(?:\([^)]*\)\s*)?(\w+)/, /^(?:type|var|const)\s+(\w+)/],
    prose: SLASHES
  },
  {
    files: /\.rs$/,
    defines: [
      /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:async|unsafe|const|default)\s+)*(?:fn|struct|enum|trait|mod|type|union|static|const|macro_rules!)\s+(\w+)/,
      /^\s*impl\b(?:<[^>]*>)?\s*([\w: ]+)/
    ],
    prose: SLASHES
  },
  {
    files: /\.(?:java|kts?|scala|cs|swift|dart|groovy|php)$/,
    defines: [
      /^\s*(?:[\w@]+\s+)*?(?:class|interface|enum|record|struct|trait|object|protocol|extension|fun|func|function|def)\s+(\w+)/,
      /^\s+(?:(?:public|private|protected|internal|static|final|abstract|override|virtual|async|synchronized)\s+)+[\w<>[\],.?]+\s+(\w+)\s*\(/
    ],
    prose: SLASHES
  },
  {
    files: /\.(?:c|h|cc|cpp|cxx|hh|hpp|hxx|m|mm|proto|thrift|glsl|zig)$/,
    defines: [
      /^\s*(?:typedef\s+)?(?:struct|class|enum|union|namespace|message|service)\s+(\w+)\s*(?:[:{]|$)/,
      /^\s*#\s*define\s+(\w+)/,
      /^(?!\s|return\b|else\b)(?:[\w:<>,*&]+[ \t]+){1,6}[*&]*([\w:~]+)\s*\([^;]*$/
    ],
    prose: SLASHES
  },
  { files: /\.(?:rb|rake|gemspec|cr)$/, defines: [/^\s*(?:def|class|module)\s+([\w.?!:]+)/], prose: HASHES },
  { files: /\.(?:ex|exs)$/, defines: [/^\s*def(?:p|module|macro|struct)?\s+([\w.?!]+)/], prose: HASHES },
  {
    files: /\.(?:sh|bash|zsh|fish|ksh)$/,
    defines: [/^\s*(?:function\s+)?([\w-]+)\s*\(\)/, /^\s*function\s+([\w-]+)/],
    prose: HASHES
  },
  {
    files: /\.(?:el|lisp|cl|scm|rkt|cljc?|cljs|edn)$/,
    defines: [/^\((?:[\w-]+\/)?(?:cl-)?def[\w-]*\s+'?\(?([^\s()]+)/],
    prose: /^\s*;/
  },
  { files: /\.lua$/, defines: [/^\s*(?:local\s+)?function\s+([\w.:]+)/], prose: /^\s*--/ },
  {
    files: /\.(?:hs|elm|purs)$/,
    defines: [/^(?:data|newtype|type|class|module)\s+(\w+)/, /^(\w+)\s*::/],
    prose: /^\s*(?:--|\{-)/
  },
  {
    files: /\.(?:ml|mli|fs|fsi)$/,
    defines: [/^\s*(?:let|and|type|module|val)\s+(?:rec\s+)?(\w+)/],
    prose: /^\s*(?:\(\*|\/\/)/
  },
  {
    files: /\.sql$/,
    defines: [
      /^\s*create\s+(?:or\s+replace\s+)?(?:\w+\s+){0,2}?(?:table|view|function|procedure|index|trigger|type)\s+(?:if\s+not\s+exists\s+)?([\w."]+)/i
    ],
    prose: /^\s*--/
  },
  { files: /\.(?:css|scss|less|sass)$/, defines: [/^\s*([.#@][\w-]+)/], prose: SLASHES },
  { files: /\.(?:md|mdx|markdown|rst|org|adoc|txt)$/, defines: [/^(?:#{1,6}|=+|\*+)\s+(.+)/], prose: /\S/ },
  {
    files: /(?:\.(?:ya?ml|toml|ini|cfg|conf|properties)|ockerfile|akefile)$/,
    defines: [/^([\w.-]+)\s*[:=]/, /^\[+([^\]]+)\]/, /^FROM\s+(\S+)/],
    prose: HASHES
  }
]

const OTHER: Language = { files: /$/, defines: [], prose: /^\s*(?:#|\/\/|--|;|%)/ }
/** Longer lines are not searched for definitions. */
const MAX_LINE_LENGTH = 400

export class Syntax {
  readonly #language: Language

  private constructor(language: Language) {
    this.#language = language
  }

  static of(path: string): Syntax {
    return new Syntax(LANGUAGES.find(({ files }) => files.test(path)) ?? OTHER)
  }

  /** Returns the name that a line defines. */
  defined(line: string): string | undefined {
    if (line.length > MAX_LINE_LENGTH) return undefined
    for (const pattern of this.#language.defines) {
      const name = pattern.exec(line)?.[1]
      if (name !== undefined) return name
    }
    return undefined
  }

  isProse(line: string): boolean {
    return this.#language.prose.test(line)
  }
}
