// Selects the language of a file by its name, and of a script by its first line.

const EXTENSIONS = {
  bash: 'bash bats ksh sh zsh',
  c: 'c h',
  cmake: 'cmake',
  cpp: 'cc cpp cxx hh hpp hxx ino',
  csharp: 'cs',
  css: 'css',
  dart: 'dart',
  diff: 'diff patch',
  dockerfile: 'dockerfile',
  elixir: 'ex exs',
  go: 'go',
  graphql: 'gql graphql',
  haskell: 'hs',
  ini: 'cfg conf editorconfig gitconfig ini properties service toml',
  java: 'java',
  javascript: 'cjs js jsx mjs',
  json: 'json json5 jsonc jsonl webmanifest',
  kotlin: 'gradle kt kts',
  less: 'less',
  lisp: 'el lisp lsp scm',
  lua: 'lua',
  makefile: 'mak mk',
  markdown: 'markdown md mdx',
  nix: 'nix',
  objectivec: 'm mm',
  perl: 'pl pm',
  php: 'php',
  powershell: 'ps1 psm1',
  protobuf: 'proto',
  python: 'py pyi pyw',
  r: 'r',
  ruby: 'gemspec rake rb ru',
  rust: 'rs',
  scala: 'sbt scala',
  scss: 'scss',
  sql: 'sql',
  swift: 'swift',
  typescript: 'cts mts ts tsx',
  xml: 'htm html plist svelte svg vue xhtml xml xsd xsl',
  yaml: 'yaml yml'
} as const

export type Language = keyof typeof EXTENSIONS

const LANGUAGES_BY_EXTENSION = new Map(
  (Object.entries(EXTENSIONS) as [Language, string][]).flatMap(([language, extensions]) =>
    extensions.split(' ').map(extension => [extension, language] as const)
  )
)

/** Languages of files that have no extension, in lower case. */
const LANGUAGES_BY_NAME = new Map<string, Language>([
  ['.bash_profile', 'bash'],
  ['.bashrc', 'bash'],
  ['.profile', 'bash'],
  ['.zshrc', 'bash'],
  ['cmakelists.txt', 'cmake'],
  ['containerfile', 'dockerfile'],
  ['dockerfile', 'dockerfile'],
  ['gemfile', 'ruby'],
  ['gnumakefile', 'makefile'],
  ['makefile', 'makefile'],
  ['rakefile', 'ruby']
])

/** Returns undefined for an unknown language, whose text stays plain. */
export function languageOfFile(file: string): Language | undefined {
  const name = file.slice(file.lastIndexOf('/') + 1).toLowerCase()
  const byName = LANGUAGES_BY_NAME.get(name)
  if (byName !== undefined || !name.includes('.')) return byName
  return LANGUAGES_BY_EXTENSION.get(name.slice(name.lastIndexOf('.') + 1))
}

const INTERPRETERS: readonly (readonly [pattern: RegExp, language: Language])[] = [
  [/^(?:ba|da|k|z)?sh$/, 'bash'],
  [/^python[\d.]*$/, 'python'],
  [/^(?:node|bun|deno)$/, 'javascript'],
  [/^ruby[\d.]*$/, 'ruby'],
  [/^perl[\d.]*$/, 'perl'],
  [/^php[\d.]*$/, 'php'],
  [/^lua[\d.]*$/, 'lua']
]

/** Maximum length of a shebang, as in Linux. */
const MAX_SHEBANG_LENGTH = 256

/** Selects the language of a script without an extension by its shebang: `#!/usr/bin/env bash`. */
export function languageOfShebang(script: string): Language | undefined {
  const line = script.slice(0, MAX_SHEBANG_LENGTH).split('\n', 1)[0]!
  if (!line.startsWith('#!')) return undefined
  const [program = '', ...args] = line.slice(2).trim().split(/\s+/)
  const isEnv = program.endsWith('/env')
  const name = isEnv ? args.find(arg => !arg.startsWith('-')) : program.slice(program.lastIndexOf('/') + 1)
  return INTERPRETERS.find(([pattern]) => pattern.test(name ?? ''))?.[1]
}
