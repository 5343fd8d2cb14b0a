// Tests of changes to another file, made behind the servers' backs: the next query reflects them.
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import type { Config } from '../../../src/config/schema.ts'
import { startApp } from '../../start-app.ts'
import { needs, type Part } from '../../support/needs.ts'

/** They mostly wait for servers. */
t.jobs = 3

const base = defaultSettings().language_servers

interface Case {
  part: Part
  files: Record<string, string>
  /** The queried file, its dependency, and the change that breaks it. */
  asked: string
  needed: string
  otherwise: string
  servers?: Config['language_servers']['servers']
}

const SCRIPT = {
  files: {
    'package.json': '{ "type": "module" }\n',
    'tsconfig.json': '{ "compilerOptions": { "strict": true, "module": "nodenext", "types": [] } }\n',
    'a.ts': "import { value } from './b.js'\nexport const name: string = value\n",
    'b.ts': "export const value = 'text'\n"
  },
  asked: 'a.ts',
  needed: 'b.ts',
  otherwise: 'export const value = 12\n'
}

const CASES: Record<string, Case> = {
  typescript: { part: 'tsc', ...SCRIPT },
  'typescript-language-server': {
    part: 'typescript-language-server',
    ...SCRIPT,
    servers: { typescript: { disabled: true } }
  },
  pyright: {
    part: 'pyright',
    files: { 'a.py': 'from b import value\n\nname: str = value\n', 'b.py': 'value = "text"\n' },
    asked: 'a.py',
    needed: 'b.py',
    otherwise: 'value = 12\n'
  },
  clangd: {
    part: 'clangd',
    files: {
      'compile_flags.txt': '-I.\n',
      'a.c': '#include "b.h"\nint name(void) { return value(); }\n',
      'b.h': 'int value(void);\n'
    },
    asked: 'a.c',
    needed: 'b.h',
    otherwise: 'struct pair { int a; } value(void);\n'
  },
  gopls: {
    part: 'gopls',
    files: {
      'go.mod': 'module example.com/a\n\ngo 1.19\n',
      'a.go': 'package a\n\nvar name string = value\n',
      'b.go': 'package a\n\nvar value = "text"\n'
    },
    asked: 'a.go',
    needed: 'b.go',
    otherwise: 'package a\n\nvar value = 12\n'
  }
}

/** Returns Python and the site-packages folder of a project's virtual environment. */
const { stdout = '' } = execaSync(
  'python3',
  ['-c', 'import sys; print(sys.executable, ".venv/lib/python%d.%d/site-packages" % sys.version_info[:2])'],
  { reject: false }
)
const [PYTHON = '', SITE = ''] = stdout.split(/\s+/)

for (const [server, { part, servers = {} }] of Object.entries(CASES).slice(0, 3)) {
  t.test(`${server}, with installed packages`, needs('sandbox', part), async t => {
    const app = await startApp(
      t,
      {
        'package.json': '{ "type": "module" }\n',
        '.gitignore': 'node_modules\n.venv\n',
        'tsconfig.json': SCRIPT.files['tsconfig.json'],
        'a.ts': "import { value } from 'installed'\nexport const name: string = value\n",
        'a.py': 'from installed import value\n\nname: str = value\n',
        [`${SITE}/other.py`]: '',
        '.venv/pyvenv.cfg': `home = ${path.dirname(PYTHON)}\n`,
        '.venv/bin/other': ''
      },
      { settings: { language_servers: { ...base, warm: false, servers } } }
    )
    if (PYTHON) symlinkSync(PYTHON, path.join(app.root, '.venv/bin/python'))
    const errors = async () => {
      const file = server === 'pyright' ? 'a.py' : 'a.ts'
      const { status, error, result } = await app.call('diagnostics', { path: file })
      if (status !== 'success') throw new Error(JSON.stringify(error))
      return result.data.diagnostics.map(({ message }: { message: string }) => message)
    }
    t.match(await errors(), [/installed/], 'it is missing')
    app.write('node_modules/installed/package.json', '{ "name": "installed", "type": "module", "types": "index.d.ts" }')
    app.write('node_modules/installed/index.d.ts', 'export const value: string\n')
    app.write(`${SITE}/installed/__init__.py`, 'value = "text"\n')
    t.same(await errors(), [], 'it is installed')
  })
}

for (const [server, { part, files, asked, needed, otherwise, servers = {} }] of Object.entries(CASES)) {
  t.test(server, needs('sandbox', part), async t => {
    const app = await startApp(t, files, { settings: { language_servers: { ...base, warm: false, servers } } })
    const at = path.join(app.root, needed)
    const errors = async () => {
      const { status, error, result } = await app.call('diagnostics', { path: asked, severity: 'error' })
      if (status !== 'success') throw new Error(JSON.stringify(error))
      t.equal(result.data.status, 'complete')
      return result.data.diagnostics.length
    }
    t.equal(await errors(), 0, 'nothing is wrong')
    writeFileSync(at, otherwise)
    t.not(await errors(), 0, 'it has changed')
    writeFileSync(at, files[needed]!)
    t.equal(await errors(), 0, 'it has changed back')
    rmSync(at)
    t.not(await errors(), 0, 'it is gone')
    writeFileSync(at, files[needed]!)
    t.equal(await errors(), 0, 'it is there again')
  })
}

for (const [server, { part, servers = {} }] of Object.entries(CASES).slice(0, 3)) {
  t.test(`${server}, with a new folder`, needs('sandbox', part), async t => {
    const app = await startApp(
      t,
      {
        ...SCRIPT.files,
        'a.ts': "import { value } from './made/b.js'\nexport const name: string = value\n",
        'a.py': 'from made.b import value\n\nname: str = value\n'
      },
      { settings: { language_servers: { ...base, warm: false, servers } } }
    )
    const [asked, needed, otherwise] =
      server === 'pyright' ? ['a.py', 'made/b.py', 'value = 12\n'] : ['a.ts', 'made/b.ts', SCRIPT.otherwise]
    const errors = async () => {
      const { status, error, result } = await app.call('diagnostics', { path: asked, severity: 'error' })
      if (status !== 'success') throw new Error(JSON.stringify(error))
      t.equal(result.data.status, 'complete')
      return result.data.diagnostics.map(({ message }: { message: string }) => message)
    }
    t.match(await errors(), [/made/], 'it is missing')
    app.write(needed, otherwise)
    t.match(await errors(), [/str/], 'it is there, with an error')
    rmSync(path.join(app.root, 'made'), { recursive: true })
    t.match(await errors(), [/made/], 'it is gone with its folder')
    app.write(needed, otherwise)
    t.match(await errors(), [/str/], 'it is there again')
  })
}
