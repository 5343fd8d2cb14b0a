// The formatters that are known: which files each is for, by what a project says that it uses it, and how it is handed a
// text whose name it is told.

export interface Formatter {
  /** Ends of names. */
  files: RegExp
  /** Files in some folder upwards that say that the project uses it. */
  marks: readonly string[]
  /** A file of several tools that says so by what it holds. */
  section?: { file: string; holds: RegExp }
  /** Where a project keeps its own, from some folder upwards. */
  own: readonly string[]
  program: string
  /** Used where nothing says so, too: the language has no other. */
  usual?: boolean
  /** The words after the program, for a file by its path from the folder that it runs in. */
  buildArgs(path: string): readonly string[]
}

const WEB = /\.(?:[cm]?[jt]s|[jt]sx|jsonc?|css)$/

/** Earlier ones go first where a project names several. */
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
