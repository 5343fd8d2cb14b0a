// Servers for scripting languages.
import type { LogMessageParams } from 'vscode-languageserver-protocol'
import type { NotificationMethod } from '../wire/protocol.ts'
import type { LanguageServerDefinition, ProjectEnvironment, ServerProgram } from './server-definition.ts'

const PYTHON = { python: ['.py', '.pyi'] }
const PYTHON_ROOTS = [
  ['pyrightconfig.json'],
  ['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', 'Pipfile', 'poetry.lock', 'uv.lock']
]
const PYTHON_DEPENDENCY_PATHS = ['.venv/lib/*/site-packages', 'venv/lib/*/site-packages']
const ANALYSIS = { autoSearchPaths: true, diagnosticMode: 'openFilesOnly', useLibraryCodeForTypes: true }

/** The project's own, then those of the search path. */
const pythonPrograms = (name: string): ServerProgram[] => [
  { projectPath: `.venv/bin/${name}` },
  { projectPath: `venv/bin/${name}` },
  { name }
]

const pythonSettings = ({ findInProject }: ProjectEnvironment) => ({
  python: { pythonPath: findInProject('.venv/bin/python') ?? findInProject('venv/bin/python'), analysis: ANALYSIS }
})

/** Ready once its log says so, which some report nowhere else. */
const logSignal = (words: RegExp) => ({
  notification: 'window/logMessage' satisfies NotificationMethod,
  isReady: (params: unknown) => words.test(String((params as Partial<LogMessageParams>).message))
})

export const SCRIPTING_LANGUAGE_SERVERS: readonly LanguageServerDefinition[] = [
  {
    name: 'pyright',
    languages: PYTHON,
    rootMarkers: PYTHON_ROOTS,
    dependencyPaths: PYTHON_DEPENDENCY_PATHS,
    programs: [{ projectPath: 'node_modules/.bin/pyright-langserver' }, ...pythonPrograms('pyright-langserver')],
    args: ['--stdio'],
    settings: pythonSettings,
    diagnostics: 'both',
    readySignal: 'progress',
    install: 'npm install --global pyright'
  },
  {
    name: 'basedpyright',
    languages: PYTHON,
    rootMarkers: PYTHON_ROOTS,
    dependencyPaths: PYTHON_DEPENDENCY_PATHS,
    programs: pythonPrograms('basedpyright-langserver'),
    args: ['--stdio'],
    settings: project => ({ ...pythonSettings(project), basedpyright: { analysis: ANALYSIS } }),
    diagnostics: 'both',
    readySignal: 'progress',
    install: 'pip install basedpyright'
  },
  {
    name: 'pylsp',
    languages: PYTHON,
    rootMarkers: PYTHON_ROOTS,
    dependencyPaths: PYTHON_DEPENDENCY_PATHS,
    programs: pythonPrograms('pylsp'),
    diagnostics: 'push',
    readySignal: 'initialized',
    install: 'pip install python-lsp-server'
  },
  {
    name: 'bash-language-server',
    languages: { shellscript: ['.sh', '.bash', '.bats', '.bashrc', '.bash_profile', '.profile'] },
    rootMarkers: [],
    programs: [{ projectPath: 'node_modules/.bin/bash-language-server' }, { name: 'bash-language-server' }],
    args: ['start'],
    settings: () => ({ bashIde: { shfmt: { path: '' }, backgroundAnalysisMaxFiles: 500 } }),
    diagnostics: 'push',
    readySignal: logSignal(/BackgroundAnalysis: (?:Completed|stopped after|failed resolving|skipping as)/),
    install: 'npm install --global bash-language-server'
  },
  {
    name: 'lua-language-server',
    languages: { lua: ['.lua'] },
    rootMarkers: [
      ['.luarc.json', '.luarc.jsonc'],
      ['.luacheckrc', '.stylua.toml', 'stylua.toml', 'selene.toml']
    ],
    programs: [{ name: 'lua-language-server' }],
    // They would be written to its installation folder.
    args: ['--logpath=/tmp/lua-language-server/log', '--metapath=/tmp/lua-language-server/meta'],
    settings: () => ({ Lua: { telemetry: { enable: false }, workspace: { checkThirdParty: false } } }),
    diagnostics: 'both',
    readySignal: 'progress',
    install: 'see https://luals.github.io/#install'
  },
  {
    name: 'solargraph',
    languages: { ruby: ['.rb', '.rake', '.gemspec', 'Gemfile', 'Rakefile'] },
    rootMarkers: [['Gemfile']],
    programs: [{ name: 'solargraph' }],
    args: ['stdio'],
    homeFolders: ['.gem', '.local/share/gem'],
    settings: () => ({ solargraph: { diagnostics: true, checkGemVersion: false } }),
    diagnostics: 'push',
    readySignal: 'initialized',
    install: 'gem install solargraph'
  },
  {
    name: 'intelephense',
    languages: { php: ['.php'] },
    rootMarkers: [['composer.json']],
    programs: [{ projectPath: 'node_modules/.bin/intelephense' }, { name: 'intelephense' }],
    args: ['--stdio'],
    settings: () => ({ intelephense: { telemetry: { enabled: false } } }),
    diagnostics: 'push',
    readySignal: logSignal(/Indexer: Indexing finished/),
    install: 'npm install --global intelephense'
  },
  {
    name: 'phpactor',
    languages: { php: ['.php'] },
    rootMarkers: [['composer.json', '.phpactor.json', '.phpactor.yml']],
    programs: [{ projectPath: 'vendor/bin/phpactor' }, { name: 'phpactor' }],
    args: ['language-server'],
    diagnostics: 'push',
    readySignal: 'initialized',
    install: 'see https://phpactor.readthedocs.io'
  }
]
