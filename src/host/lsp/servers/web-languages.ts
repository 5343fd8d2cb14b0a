// Servers for web languages, Node and data formats.
import type { NotificationMethod } from '../wire/protocol.ts'
import type { LanguageServerDefinition, ServerProgram } from './server-definition.ts'
import { TSSERVER_DIAGNOSTIC_REQUESTS, TSSERVER_RELOAD } from './tsserver-requests.ts'

const LOCKFILES = ['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb']

const VSCODE_SERVERS_INSTALL = 'npm install --global vscode-langservers-extracted'

/** The project's own, then those of the search path. */
const nodePrograms = (...names: string[]): ServerProgram[] => [
  ...names.map(name => ({ projectPath: `node_modules/.bin/${name}` })),
  ...names.map(name => ({ name }))
]

/** By npm and bun, pnpm, and yarn. */
const NODE_DEPENDENCY_PATHS = [
  'node_modules',
  'node_modules/@types',
  'node_modules/.package-lock.json',
  'node_modules/.modules.yaml',
  'node_modules/.yarn-state.yml',
  'node_modules/.yarn-integrity',
  '.pnp.cjs'
]
/** Used by both servers for TypeScript. */
const SCRIPT_LANGUAGES = {
  typescript: ['.ts', '.mts', '.cts'],
  typescriptreact: ['.tsx'],
  javascript: ['.js', '.mjs', '.cjs'],
  javascriptreact: ['.jsx']
}
/** Exists in TypeScript up to version 6, and no later. */
const TSSERVER_PATH = 'node_modules/typescript/lib/tsserver.js'

export const WEB_LANGUAGE_SERVERS: readonly LanguageServerDefinition[] = [
  {
    name: 'typescript',
    languages: SCRIPT_LANGUAGES,
    rootMarkers: [LOCKFILES, ['tsconfig.json', 'jsconfig.json', 'package.json']],
    // Since version 7 it is a server itself; before, it has no such file.
    programs: [
      { projectPath: 'node_modules/typescript/bin/tsc', requires: '../lib/getExePath.js' },
      { name: 'tsc', requires: '../lib/getExePath.js' }
    ],
    args: ['--lsp', '--stdio'],
    dependencyPaths: NODE_DEPENDENCY_PATHS,
    excludedBy: [TSSERVER_PATH],
    diagnostics: 'pull',
    readySignal: 'initialized',
    install: 'npm install --global typescript'
  },
  {
    name: 'typescript-language-server',
    languages: SCRIPT_LANGUAGES,
    rootMarkers: [LOCKFILES, ['tsconfig.json', 'jsconfig.json', 'package.json']],
    programs: nodePrograms('typescript-language-server'),
    args: ['--stdio'],
    dependencyPaths: NODE_DEPENDENCY_PATHS,
    // It would load types from the network.
    initializationOptions: ({ findInProject, findExecutable }) => ({
      disableAutomaticTypingAcquisition: true,
      // A second process would answer while the project is loading, from the one file alone.
      tsserver: {
        path: findInProject(TSSERVER_PATH),
        fallbackPath: findExecutable('tsserver'),
        useSyntaxServer: 'never'
      }
    }),
    diagnostics: 'push',
    customRequests: TSSERVER_DIAGNOSTIC_REQUESTS,
    reload: TSSERVER_RELOAD,
    readySignal: 'progress',
    install: 'npm install --global typescript-language-server typescript@6'
  },
  {
    name: 'vscode-json-language-server',
    languages: {
      json: ['.json', '.webmanifest', '.importmap'],
      // Files that may have comments.
      jsonc: [
        '.jsonc',
        '.code-workspace',
        'tsconfig.json',
        'tsconfig.*.json',
        'jsconfig.json',
        '.eslintrc.json',
        '.swcrc',
        'babel.config.json',
        'devcontainer.json',
        'launch.json',
        'tasks.json'
      ]
    },
    rootMarkers: [],
    programs: nodePrograms('vscode-json-language-server', 'vscode-json-languageserver'),
    args: ['--stdio'],
    // Schemas at other locations are then requested from the client, which has none.
    initializationOptions: () => ({ provideFormatter: false, handledSchemaProtocols: ['file'] }),
    settings: () => ({ json: { validate: { enable: true }, schemaDownload: { enable: false } } }),
    diagnostics: 'push',
    readySignal: 'initialized',
    findsSymbolsByName: false,
    install: VSCODE_SERVERS_INSTALL
  },
  {
    name: 'vscode-html-language-server',
    languages: { html: ['.html', '.htm', '.xhtml'] },
    rootMarkers: [],
    programs: nodePrograms('vscode-html-language-server', 'html-languageserver'),
    args: ['--stdio'],
    initializationOptions: () => ({ provideFormatter: false, embeddedLanguages: { css: true, javascript: true } }),
    diagnostics: 'push',
    readySignal: 'initialized',
    findsSymbolsByName: false,
    install: VSCODE_SERVERS_INSTALL
  },
  {
    name: 'vscode-css-language-server',
    languages: { css: ['.css'], scss: ['.scss'], less: ['.less'] },
    rootMarkers: [],
    programs: nodePrograms('vscode-css-language-server', 'css-languageserver'),
    args: ['--stdio'],
    initializationOptions: () => ({ provideFormatter: false }),
    settings: () => ({ css: { validate: true }, scss: { validate: true }, less: { validate: true } }),
    diagnostics: 'push',
    readySignal: 'initialized',
    findsSymbolsByName: false,
    install: VSCODE_SERVERS_INSTALL
  },
  {
    name: 'yaml-language-server',
    languages: { yaml: ['.yaml', '.yml', '.clang-format', '.clang-tidy'] },
    rootMarkers: [],
    programs: nodePrograms('yaml-language-server'),
    args: ['--stdio'],
    // It would load schemas from the network.
    settings: () => ({
      yaml: { schemaStore: { enable: false, url: '' }, kubernetesCRDStore: { enable: false }, validate: true },
      http: { proxyStrictSSL: true }
    }),
    diagnostics: 'push',
    // It answers no requests until it has its settings; diagnostics are published after that.
    readySignal: { notification: 'textDocument/publishDiagnostics' satisfies NotificationMethod, isReady: () => true },
    findsSymbolsByName: false,
    install: 'npm install --global yaml-language-server'
  }
]
