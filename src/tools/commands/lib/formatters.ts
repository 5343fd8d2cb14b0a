// Known formatters: their files, the configuration that indicates their use, and their arguments for formatting standard input.

export interface Formatter {
  /** Suffixes of file names. */
  files: RegExp
  /** Files in an ancestor folder that indicate the formatter's use. */
  marks: readonly string[]
  /** A shared configuration file that indicates it by its content. */
  section?: { file: string; holds: RegExp }
  /** Paths of a project-local installation, relative to an ancestor folder. */
  own: readonly string[]
  program: string
  /** Used without configuration too: the language has no other. */
  usual?: boolean
  /** Returns the arguments for a file, given by its path relative to the working directory. */
  buildArgs(path: string): readonly string[]
}

const WEB = /\.(?:[cm]?[jt]s|[jt]sx|jsonc?|css)$/

/** In order of precedence if a project names several. */
export const FORMATTERS = {
  biome: {
    files: WEB,
    marks: ['biome.json', 'biome.jsonc'],
    section: { file: 'package.json', holds: /"@biomejs\/biome"\s*:/ },
    own: ['node_modules/.bin/biome'],
    program: 'biome',
    buildArgs: path => ['format', `--stdin-file-path=${path}`]
  },
  prettier: {
    files: /\.(?:[cm]?[jt]s|[jt]sx|json[c5]?|css|scss|less|html?|vue|svelte|md|mdx|ya?ml|graphql|hbs)$/,
    marks: [
      ...['', '.json', '.yml', '.yaml', '.json5', '.js', '.cjs', '.mjs', '.ts', '.toml'].map(
        end => `.prettierrc${end}`
      ),
      ...['js', 'cjs', 'mjs', 'ts'].map(end => `prettier.config.${end}`)
    ],
    section: { file: 'package.json', holds: /"prettier"\s*:/ },
    own: ['node_modules/.bin/prettier'],
    program: 'prettier',
    buildArgs: path => ['--stdin-filepath', path]
  },
  ruff: {
    files: /\.pyi?$/,
    marks: ['ruff.toml', '.ruff.toml'],
    section: { file: 'pyproject.toml', holds: /^\[tool\.ruff\b/m },
    own: ['.venv/bin/ruff', 'venv/bin/ruff'],
    program: 'ruff',
    usual: true,
    buildArgs: path => ['format', `--stdin-filename=${path}`, '-']
  },
  black: {
    files: /\.pyi?$/,
    marks: [],
    section: { file: 'pyproject.toml', holds: /^\[tool\.black\]/m },
    own: ['.venv/bin/black', 'venv/bin/black'],
    program: 'black',
    usual: true,
    buildArgs: path => ['--quiet', `--stdin-filename=${path}`, '-']
  },
  gofmt: { files: /\.go$/, marks: [], own: [], program: 'gofmt', usual: true, buildArgs: () => [] },
  rustfmt: {
    files: /\.rs$/,
    marks: ['rustfmt.toml', '.rustfmt.toml'],
    own: [],
    program: 'rustfmt',
    usual: true,
    buildArgs: () => ['--edition', '2021', '--emit', 'stdout']
  },
  'clang-format': {
    files: /\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|m|mm|proto)$/,
    marks: ['.clang-format', '_clang-format'],
    own: [],
    program: 'clang-format',
    buildArgs: path => [`--assume-filename=${path}`]
  },
  shfmt: {
    files: /\.(?:sh|bash|bats)$/,
    marks: [],
    own: [],
    program: 'shfmt',
    usual: true,
    buildArgs: path => ['-filename', path]
  }
} satisfies Record<string, Formatter>

export type FormatterName = keyof typeof FORMATTERS
