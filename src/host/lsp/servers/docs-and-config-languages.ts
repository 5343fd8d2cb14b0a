// Servers for documentation, build files and deployment.
import type { LanguageServerDefinition } from './server-definition.ts'

export const DOCS_AND_CONFIG_LANGUAGE_SERVERS: readonly LanguageServerDefinition[] = [
  {
    name: 'docker-langserver',
    languages: { dockerfile: ['Dockerfile', 'Dockerfile.*', 'Containerfile', '.dockerfile'] },
    rootMarkers: [],
    programs: [{ projectPath: 'node_modules/.bin/docker-langserver' }, { name: 'docker-langserver' }],
    args: ['--stdio'],
    diagnostics: 'push',
    readySignal: 'initialized',
    findsSymbolsByName: false,
    install: 'npm install --global dockerfile-language-server-nodejs'
  },
  {
    name: 'marksman',
    languages: { markdown: ['.md', '.markdown'] },
    rootMarkers: [['.marksman.toml']],
    programs: [{ name: 'marksman' }],
    args: ['server'],
    diagnostics: 'push',
    readySignal: 'initialized',
    findsSymbolsByName: false,
    install: 'see https://github.com/artempyanykh/marksman#how-to-install'
  },
  {
    name: 'texlab',
    languages: { latex: ['.tex', '.sty', '.cls'], bibtex: ['.bib'] },
    rootMarkers: [['.texlabroot', 'texlabroot', '.latexmkrc', 'latexmkrc', 'Tectonic.toml']],
    programs: [{ name: 'texlab' }],
    settings: () => ({ texlab: { build: { onSave: false }, chktex: { onOpenAndSave: false } } }),
    diagnostics: 'push',
    readySignal: 'progress',
    findsSymbolsByName: false,
    install: 'cargo install --locked texlab'
  },
  {
    name: 'taplo',
    languages: { toml: ['.toml', 'Cargo.lock'] },
    rootMarkers: [['.taplo.toml', 'taplo.toml']],
    programs: [{ name: 'taplo' }],
    args: ['lsp', 'stdio'],
    // It would load schemas from the network.
    settings: () => ({ evenBetterToml: { schema: { enabled: false } } }),
    diagnostics: 'push',
    readySignal: 'initialized',
    findsSymbolsByName: false,
    install: 'cargo install --features lsp --locked taplo-cli'
  },
  {
    name: 'terraform-ls',
    languages: { terraform: ['.tf'], 'terraform-vars': ['.tfvars'] },
    rootMarkers: [['.terraform.lock.hcl']],
    programs: [{ name: 'terraform-ls' }],
    args: ['serve'],
    diagnostics: 'push',
    readySignal: 'progress',
    install: 'see https://developer.hashicorp.com/terraform/install'
  },
  {
    name: 'cmake-language-server',
    languages: { cmake: ['.cmake', 'CMakeLists.txt'] },
    rootMarkers: [['CMakePresets.json', 'CTestConfig.cmake']],
    programs: [{ name: 'cmake-language-server' }],
    diagnostics: 'push',
    readySignal: 'initialized',
    findsSymbolsByName: false,
    install: 'pip install cmake-language-server'
  },
  {
    name: 'nil',
    languages: { nix: ['.nix'] },
    rootMarkers: [['flake.nix']],
    programs: [{ name: 'nil' }],
    diagnostics: 'both',
    readySignal: 'initialized',
    findsSymbolsByName: false,
    install: 'nix profile install nixpkgs#nil'
  }
]
