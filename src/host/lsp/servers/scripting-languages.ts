// The servers for languages that are run as they are written.
import type { LogMessageParams } from 'vscode-languageserver-protocol'
import type { NotificationMethod } from '../wire/protocol.ts'
import type { LanguageServer, Program, Project } from './server-definition.ts'

const PYTHON = { python: ['.py', '.pyi'] }
const PYTHON_ROOTS = [
  ['pyrightconfig.json'],
  ['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', 'Pipfile', 'poetry.lock', 'uv.lock']
]
const INSTALLED = ['.venv/lib/*/site-packages', 'venv/lib/*/site-packages']
const ANALYSIS = { autoSearchPaths: true, diagnosticMode: 'openFilesOnly', useLibraryCodeForTypes: true }

/** The project's own, then those of the search path. */
const pythons = (name: string): Program[] => [{ own: `.venv/bin/${name}` }, { own: `venv/bin/${name}` }, { name }]

const pythonSettings = ({ own }: Project) => ({
  python: { pythonPath: own('.venv/bin/python') ?? own('venv/bin/python'), analysis: ANALYSIS }
})

/** Ready once it says so in its log, which some do nowhere else. */
const logs = (words: RegExp) => ({
  notification: 'window/logMessage' satisfies NotificationMethod,
  says: (params: unknown) => words.test(String((params as Partial<LogMessageParams>).message))
})

export const SCRIPTED: readonly LanguageServer[] = [
  {
    name: 'pyright',
    languages: PYTHON,
    roots: PYTHON_ROOTS,
    depends: INSTALLED,
    programs: [{ own: 'node_modules/.bin/pyright-langserver' }, ...pythons('pyright-langserver')],
    args: ['--stdio'],
    settings: pythonSettings,
    diagnostics: 'both',
    ready: 'progress',
    install: 'npm install --global pyright'
  },
  {
    name: 'basedpyright',
    languages: PYTHON,
    roots: PYTHON_ROOTS,
    depends: INSTALLED,
    programs: pythons('basedpyright-langserver'),
    args: ['--stdio'],
    settings: project => ({ ...pythonSettings(project), basedpyright: { analysis: ANALYSIS } }),
    diagnostics: 'both',
    ready: 'progress',
    install: 'pip install basedpyright'
  },
  {
    name: 'pylsp',
    languages: PYTHON,
    roots: PYTHON_ROOTS,
    depends: INSTALLED,
    programs: pythons('pylsp'),
    diagnostics: 'push',
    ready: 'initialized',
    install: 'pip install python-lsp-server'
  },
  {
    name: 'bash-language-server',
    languages: { shellscript: ['.sh', '.bash', '.bats', '.bashrc', '.bash_profile', '.profile'] },
    roots: [],
    programs: [{ own: 'node_modules/.bin/bash-language-server' }, { name: 'bash-language-server' }],
    args: ['start'],
    settings: () => ({ bashIde: { shfmt: { path: '' }, backgroundAnalysisMaxFiles: 500 } }),
    diagnostics: 'push',
    ready: logs(/BackgroundAnalysis: (?:Completed|stopped after|failed resolving|skipping as)/),
    install: 'npm install --global bash-language-server'
  },
  {
    name: 'lua-language-server',
    languages: { lua: ['.lua'] },
    roots: [
      ['.luarc.json', '.luarc.jsonc'],
      ['.luacheckrc', '.stylua.toml', 'stylua.toml', 'selene.toml']
    ],
    programs: [{ name: 'lua-language-server' }],
    // They would go to where it is installed.
    args: ['--logpath=/tmp/lua-language-server/log', '--metapath=/tmp/lua-language-server/meta'],
    settings: () => ({ Lua: { telemetry: { enable: false }, workspace: { checkThirdParty: false } } }),
    diagnostics: 'both',
    ready: 'progress',
    install: 'see https://luals.github.io/#install'
  },
  {
    name: 'solargraph',
    languages: { ruby: ['.rb', '.rake', '.gemspec', 'Gemfile', 'Rakefile'] },
    roots: [['Gemfile']],
    programs: [{ name: 'solargraph' }],
    args: ['stdio'],
    reads: ['.gem', '.local/share/gem'],
    settings: () => ({ solargraph: { diagnostics: true, checkGemVersion: false } }),
    diagnostics: 'push',
    ready: 'initialized',
    install: 'gem install solargraph'
  },
  {
    name: 'intelephense',
    languages: { php: ['.php'] },
    roots: [['composer.json']],
    programs: [{ own: 'node_modules/.bin/intelephense' }, { name: 'intelephense' }],
    args: ['--stdio'],
    settings: () => ({ intelephense: { telemetry: { enabled: false } } }),
    diagnostics: 'push',
    ready: logs(/Indexer: Indexing finished/),
    install: 'npm install --global intelephense'
  },
  {
    name: 'phpactor',
    languages: { php: ['.php'] },
    roots: [['composer.json', '.phpactor.json', '.phpactor.yml']],
    programs: [{ own: 'vendor/bin/phpactor' }, { name: 'phpactor' }],
    args: ['language-server'],
    diagnostics: 'push',
    ready: 'initialized',
    install: 'see https://phpactor.readthedocs.io'
  }
]
