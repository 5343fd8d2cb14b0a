// Small projects with known errors, one for each language server, and the command to query it directly. The queried position is
// preceded by a tab and characters beyond the basic plane, which servers count in different units.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Json } from '../../start-app.ts'
import type { Part } from '../../support/needs.ts'

export interface LspProject {
  server: string
  files: Record<string, string>
  /** Creates files that are not text. */
  prepare?(folder: string): void
  /** The queried file, and its language. */
  file: string
  language: string
  /** A piece of one line; its first character is the queried position. */
  at: string
  /** Pieces of the lines with errors. */
  faults: readonly string[]
  /** Queries that the server does not support. */
  lacks?: readonly ('definition' | 'references')[]
  /** The command and initialization for direct use. */
  argv: readonly string[]
  options?(folder: string): Json
  settings?: Json
  /** It continues to load the project after its first diagnostics, and reports completion. */
  reads_on?: true
  /** The parts it needs. */
  parts: readonly Part[]
}

/** Writes a project to a folder. */
export function writeFiles({ files, prepare }: LspProject, folder: string) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text.replaceAll(FOLDER, folder))
  }
  prepare?.(folder)
}

/** Placeholder in files for the absolute path of the project. */
const FOLDER = '%FOLDER%'

const TYPESCRIPT = {
  files: {
    'tsconfig.json':
      '{ "compilerOptions": { "strict": true, "module": "nodenext", "target": "es2023", "types": [] } }\n',
    'package.json': '{ "name": "fixture", "type": "module" }\n',
    'src/shout.ts': 'export function shout(text: string): string {\n\treturn text.toUpperCase()\n}\n',
    'src/main.ts':
      "import { shout } from './shout.js'\n\n{\n\tconst name = '🦊🦊'; const loud = shout(name)\n\tconst count: number = loud\n\tshout(count)\n}\n"
  },
  file: 'src/main.ts',
  language: 'typescript',
  at: 'shout(name)',
  faults: ['const count', 'shout(count)']
}
const TSSERVER = 'node_modules/typescript/lib/tsserver.js'

export const LSP_PROJECTS: readonly LspProject[] = [
  { server: 'typescript', ...TYPESCRIPT, argv: ['tsc', '--lsp', '--stdio'], parts: ['tsc'] },
  {
    server: 'typescript-language-server',
    ...TYPESCRIPT,
    prepare(folder) {
      mkdirSync(path.join(folder, 'node_modules/typescript'), { recursive: true })
      for (const name of ['lib', 'package.json'])
        cpSync(
          path.join('test/e2e/node_modules/typescript', name),
          path.join(folder, 'node_modules/typescript', name),
          {
            recursive: true
          }
        )
    },
    argv: ['typescript-language-server', '--stdio'],
    parts: ['typescript-language-server'],
    options: folder => ({ tsserver: { path: path.join(folder, TSSERVER) } })
  },
  {
    server: 'pyright',
    files: {
      'pyproject.toml': '[project]\nname = "fixture"\nversion = "1"\n',
      'shouting.py': 'def shout(text: str) -> str:\n    return text.upper()\n',
      'main.py':
        "from shouting import shout\n\nif True:\n\tname = '🦊🦊'; loud = shout(name)\n\tcount: int = loud\n\tshout(count)\n"
    },
    file: 'main.py',
    language: 'python',
    at: 'shout(name)',
    faults: ['count: int'],
    argv: ['pyright-langserver', '--stdio'],
    parts: ['pyright'],
    settings: { python: { analysis: { diagnosticMode: 'openFilesOnly', useLibraryCodeForTypes: true } } }
  },
  {
    server: 'bash-language-server',
    files: {
      'shout.sh':
        '#!/bin/bash\nshout() {\n\techo "$1"\n}\nif true; then\n\techo "🦊🦊"; shout "$HOME"\nfi\necho $1; shout 🦊\n'
    },
    file: 'shout.sh',
    language: 'shellscript',
    at: 'shout "$HOME"',
    faults: ['echo $1; shout'],
    argv: ['bash-language-server', 'start'],
    parts: ['bash-language-server', 'shellcheck']
  },
  {
    server: 'yaml-language-server',
    files: { 'a.yaml': 'base: &base\n  name: fox\nchild: { "🦊🦊": *base, x: *none }\nbad: [1, 2\n' },
    file: 'a.yaml',
    language: 'yaml',
    at: '*base',
    faults: ['x: *none'],
    lacks: ['references'],
    argv: ['yaml-language-server', '--stdio'],
    parts: ['yaml-language-server'],
    settings: { yaml: { schemaStore: { enable: false }, validate: true } }
  },
  {
    server: 'vscode-json-language-server',
    files: { 'a.json': '{\n\t"🦊🦊": 1, "two": 2,,\n\t"two": 3\n}\n' },
    file: 'a.json',
    language: 'json',
    at: '"two": 2',
    faults: ['"two": 2,,', '"two": 3'],
    lacks: ['definition', 'references'],
    argv: ['vscode-json-language-server', '--stdio'],
    parts: ['vscode-langservers-extracted'],
    settings: { json: { validate: { enable: true } } }
  },
  {
    server: 'vscode-html-language-server',
    files: {
      'a.html':
        '<!doctype html>\n<html><body>\n<script>\n\tfunction shout(text) { return text }\n\tconst a = "🦊🦊"; shout(a)\n\tconst b = "🦊"; const = 1\n</script>\n</body></html>\n'
    },
    file: 'a.html',
    language: 'html',
    at: 'shout(a)',
    faults: ['const = 1'],
    argv: ['vscode-html-language-server', '--stdio'],
    parts: ['vscode-langservers-extracted'],
    options: () => ({ embeddedLanguages: { css: true, javascript: true } })
  },
  {
    server: 'vscode-css-language-server',
    files: {
      'a.css':
        ':root { --fox: red }\n\n/* 🦊🦊 */\ta { color: var(--fox); colour: red; }\nb { color: var(--fox) }\nc { \n'
    },
    file: 'a.css',
    language: 'css',
    at: '--fox); colour',
    faults: ['colour: red'],
    argv: ['vscode-css-language-server', '--stdio'],
    parts: ['vscode-langservers-extracted'],
    settings: { css: { validate: true } }
  },
  {
    server: 'clangd',
    files: {
      'compile_commands.json': JSON.stringify(
        ['main.c', 'shout.c'].map(file => ({ directory: FOLDER, file, arguments: ['cc', '-Wall', '-c', file] }))
      ),
      'shout.h': '#pragma once\nint shout(const char *text);\n',
      'shout.c': '#include "shout.h"\n\nint shout(const char *text)\n{\n\treturn text[0];\n}\n',
      'main.c':
        '#include "shout.h"\n\nint main(void)\n{\n\tconst char *name = "🦊🦊"; int loud = shout(name);\n\t/* 🦊 */ char *count = loud;\n\treturn missing;\n}\n'
    },
    file: 'main.c',
    language: 'c',
    at: 'shout(name)',
    faults: ['char *count', 'return missing'],
    argv: ['clangd', '--log=error'],
    parts: ['clangd'],
    reads_on: true
  },
  {
    server: 'gopls',
    files: {
      'go.mod': 'module example.test/fixture\n\ngo 1.19\n',
      'shout.go': 'package main\n\nfunc shout(text string) string {\n\treturn text + "!"\n}\n',
      'main.go':
        'package main\n\nfunc main() {\n\tname := "🦊🦊"; loud := shout(name)\n\tvar count int = loud\n\tprintln(count, "🦊", missing)\n}\n'
    },
    file: 'main.go',
    language: 'go',
    at: 'shout(name)',
    faults: ['var count', 'missing'],
    argv: ['gopls'],
    parts: ['gopls', 'go']
  }
]
