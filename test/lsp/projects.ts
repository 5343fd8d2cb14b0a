// Small projects with faults that are known, one for each language server. Before what is asked about stand a tab and
// characters beyond the basic plane, which servers count in units of their own.

export interface Project {
  server: string
  files: Record<string, string>
  /** The file that is asked about. */
  file: string
  /** A piece of one line of it, whose first character is the place that is asked about. */
  at: string
  /** What is on the line of each fault. */
  faults: readonly string[]
}

/** Stands in files for the absolute path of the project. */
export const FOLDER = '%FOLDER%'

export const PROJECTS: readonly Project[] = [
  {
    server: 'typescript',
    files: {
      'tsconfig.json':
        '{ "compilerOptions": { "strict": true, "module": "nodenext", "target": "es2023", "types": [] } }\n',
      'package.json': '{ "name": "fixture", "type": "module" }\n',
      'src/shout.ts': 'export function shout(text: string): string {\n\treturn text.toUpperCase()\n}\n',
      'src/main.ts':
        "import { shout } from './shout.js'\n\n{\n\tconst name = '🦊🦊'; const loud = shout(name)\n\tconst count: number = loud\n\tshout(count)\n}\n"
    },
    file: 'src/main.ts',
    at: 'shout(name)',
    faults: ['const count', 'shout(count)']
  },
  {
    server: 'typescript-language-server',
    files: {
      'tsconfig.json':
        '{ "compilerOptions": { "strict": true, "module": "nodenext", "target": "es2023", "types": [] } }\n',
      'package.json': '{ "name": "fixture", "type": "module" }\n',
      'src/shout.ts': 'export function shout(text: string): string {\n\treturn text.toUpperCase()\n}\n',
      'src/main.ts':
        "import { shout } from './shout.js'\n\n{\n\tconst name = '🦊🦊'; const loud = shout(name)\n\tconst count: number = loud\n\tshout(count)\n}\n"
    },
    file: 'src/main.ts',
    at: 'shout(name)',
    faults: ['const count', 'shout(count)']
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
    at: 'shout(name)',
    faults: ['count: int']
  },
  {
    server: 'bash-language-server',
    files: {
      'shout.sh': '#!/bin/bash\nshout() {\n\techo "$1"\n}\nif true; then\n\techo "🦊🦊"; shout "$HOME"\nfi\nif\n'
    },
    file: 'shout.sh',
    at: 'shout "$HOME"',
    faults: ['if']
  },
  {
    server: 'yaml-language-server',
    files: { 'a.yaml': 'base: &base\n  name: fox\nchild: { "🦊🦊": *base, x: *none }\nbad: [1, 2\n' },
    file: 'a.yaml',
    at: '*base',
    faults: ['x: *none', 'bad']
  },
  {
    server: 'vscode-json-language-server',
    files: { 'a.json': '{\n\t"🦊🦊": 1, "two": 2,,\n\t"two": 3\n}\n' },
    file: 'a.json',
    at: '"two": 2',
    faults: ['"two": 2,,']
  },
  {
    server: 'vscode-html-language-server',
    files: {
      'a.html':
        '<!doctype html>\n<html><body>\n<script>\n\tfunction shout(text) { return text }\n\tconst a = "🦊🦊"; shout(a)\n\tconst = 1\n</script>\n</body></html>\n'
    },
    file: 'a.html',
    at: 'shout(a)',
    faults: ['const = 1']
  },
  {
    server: 'vscode-css-language-server',
    files: {
      'a.css':
        ':root { --fox: red }\n\n/* 🦊🦊 */\ta { color: var(--fox); colour: red; }\nb { color: var(--fox) }\nc { \n'
    },
    file: 'a.css',
    at: '--fox); colour',
    faults: ['colour']
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
        '#include "shout.h"\n\nint main(void)\n{\n\tconst char *name = "🦊🦊"; int loud = shout(name);\n\tchar *count = loud;\n\treturn missing;\n}\n'
    },
    file: 'main.c',
    at: 'shout(name)',
    faults: ['char *count', 'return missing']
  },
  {
    server: 'gopls',
    files: {
      'go.mod': 'module example.test/fixture\n\ngo 1.19\n',
      'shout.go': 'package main\n\nfunc shout(text string) string {\n\treturn text + "!"\n}\n',
      'main.go':
        'package main\n\nfunc main() {\n\tname := "🦊🦊"; loud := shout(name)\n\tvar count int = loud\n\tprintln(count, missing)\n}\n'
    },
    file: 'main.go',
    at: 'shout(name)',
    faults: ['var count', 'missing']
  }
]
