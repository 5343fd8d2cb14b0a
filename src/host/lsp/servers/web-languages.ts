// The servers for what runs in browsers and Node, and for what describes data.
import type { NotificationMethod } from '../wire/protocol.ts'
import type { LanguageServer, Program } from './server-definition.ts'
import { TSSERVER_INQUIRY } from './tsserver-diagnostics.ts'

const PACKAGES = ['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb']

const EXTRACTED = 'npm install --global vscode-langservers-extracted'

/** The project's own, then those of the search path. */
const found = (...names: string[]): Program[] => [
  ...names.map(name => ({ own: `node_modules/.bin/${name}` })),
  ...names.map(name => ({ name }))
]

/** By npm and bun, pnpm, and yarn. */
const INSTALLED = [
  'node_modules',
  'node_modules/@types',
  'node_modules/.package-lock.json',
  'node_modules/.modules.yaml',
  'node_modules/.yarn-state.yml',
  'node_modules/.yarn-integrity',
  '.pnp.cjs'
]
/** Both of TypeScript's. */
const SCRIPTS = {
  typescript: ['.ts', '.mts', '.cts'],
  typescriptreact: ['.tsx'],
  javascript: ['.js', '.mjs', '.cjs'],
  javascriptreact: ['.jsx']
}
/** What stands in TypeScript up to version 6, and no later. */
const TSSERVER = 'node_modules/typescript/lib/tsserver.js'

export const WEB: readonly LanguageServer[] = [
  {
    name: 'typescript',
    languages: SCRIPTS,
    roots: [PACKAGES, ['tsconfig.json', 'jsconfig.json', 'package.json']],
    // Since version 7 it serves by itself; before, it has no such file.
    programs: [
      { own: 'node_modules/typescript/bin/tsc', needs: '../lib/getExePath.js' },
      { name: 'tsc', needs: '../lib/getExePath.js' }
    ],
    args: ['--lsp', '--stdio'],
    depends: INSTALLED,
    unless: [TSSERVER],
    diagnostics: 'pull',
    ready: 'initialized',
    install: 'npm install --global typescript'
  },
  {
    name: 'typescript-language-server',
    languages: SCRIPTS,
    roots: [PACKAGES, ['tsconfig.json', 'jsconfig.json', 'package.json']],
    programs: found('typescript-language-server'),
    args: ['--stdio'],
    depends: INSTALLED,
    // It would load types from the network.
    options: ({ own, program }) => ({
      disableAutomaticTypingAcquisition: true,
      // A second process would answer while the project is loading, from the one file alone.
      tsserver: { path: own(TSSERVER), fallbackPath: program('tsserver'), useSyntaxServer: 'never' }
    }),
    diagnostics: 'push',
    inquiry: TSSERVER_INQUIRY,
    ready: 'progress',
    install: 'npm install --global typescript-language-server typescript@6'
  },
  {
    name: 'vscode-json-language-server',
    languages: {
      json: ['.json', '.webmanifest', '.importmap'],
      // Those that may have comments.
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
    roots: [],
    programs: found('vscode-json-language-server', 'vscode-json-languageserver'),
    args: ['--stdio'],
    // Schemas of other places are asked of the client then, which has none.
    options: () => ({ provideFormatter: false, handledSchemaProtocols: ['file'] }),
    settings: () => ({ json: { validate: { enable: true }, schemaDownload: { enable: false } } }),
    diagnostics: 'push',
    ready: 'initialized',
    install: EXTRACTED
  },
  {
    name: 'vscode-html-language-server',
    languages: { html: ['.html', '.htm', '.xhtml'] },
    roots: [],
    programs: found('vscode-html-language-server', 'html-languageserver'),
    args: ['--stdio'],
    options: () => ({ provideFormatter: false, embeddedLanguages: { css: true, javascript: true } }),
    diagnostics: 'push',
    ready: 'initialized',
    install: EXTRACTED
  },
  {
    name: 'vscode-css-language-server',
    languages: { css: ['.css'], scss: ['.scss'], less: ['.less'] },
    roots: [],
    programs: found('vscode-css-language-server', 'css-languageserver'),
    args: ['--stdio'],
    options: () => ({ provideFormatter: false }),
    settings: () => ({ css: { validate: true }, scss: { validate: true }, less: { validate: true } }),
    diagnostics: 'push',
    ready: 'initialized',
    install: EXTRACTED
  },
  {
    name: 'yaml-language-server',
    languages: { yaml: ['.yaml', '.yml', '.clang-format', '.clang-tidy'] },
    roots: [],
    programs: found('yaml-language-server'),
    args: ['--stdio'],
    // It would load schemas from the network.
    settings: () => ({
      yaml: { schemaStore: { enable: false, url: '' }, kubernetesCRDStore: { enable: false }, validate: true },
      http: { proxyStrictSSL: true }
    }),
    diagnostics: 'push',
    // Until it has been given its settings it knows nothing of any place; what it finds in a file it tells after that.
    ready: { notification: 'textDocument/publishDiagnostics' satisfies NotificationMethod, says: () => true },
    install: 'npm install --global yaml-language-server'
  }
]
