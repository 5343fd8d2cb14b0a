// The servers for what is written for people, for building and for running elsewhere.
import type { LanguageServer } from './server-definition.ts'

export const WRITTEN: readonly LanguageServer[] = [
  {
    name: 'docker-langserver',
    languages: { dockerfile: ['Dockerfile', 'Dockerfile.*', 'Containerfile', '.dockerfile'] },
    roots: [],
    programs: [{ own: 'node_modules/.bin/docker-langserver' }, { name: 'docker-langserver' }],
    args: ['--stdio'],
    diagnostics: 'push',
    ready: 'initialized',
    install: 'npm install --global dockerfile-language-server-nodejs'
  },
  {
    name: 'marksman',
    languages: { markdown: ['.md', '.markdown'] },
    roots: [['.marksman.toml']],
    programs: [{ name: 'marksman' }],
    args: ['server'],
    diagnostics: 'push',
    ready: 'initialized',
    install: 'see https://github.com/artempyanykh/marksman#how-to-install'
  },
  {
    name: 'texlab',
    languages: { latex: ['.tex', '.sty', '.cls'], bibtex: ['.bib'] },
    roots: [['.texlabroot', 'texlabroot', '.latexmkrc', 'latexmkrc', 'Tectonic.toml']],
    programs: [{ name: 'texlab' }],
    settings: () => ({ texlab: { build: { onSave: false }, chktex: { onOpenAndSave: false } } }),
    diagnostics: 'push',
    ready: 'progress',
    install: 'cargo install --locked texlab'
  },
  {
    name: 'taplo',
    languages: { toml: ['.toml', 'Cargo.lock'] },
    roots: [['.taplo.toml', 'taplo.toml']],
    programs: [{ name: 'taplo' }],
    args: ['lsp', 'stdio'],
    // It would load schemas from the network.
    settings: () => ({ evenBetterToml: { schema: { enabled: false } } }),
    diagnostics: 'push',
    ready: 'initialized',
    install: 'cargo install --features lsp --locked taplo-cli'
  },
  {
    name: 'terraform-ls',
    languages: { terraform: ['.tf'], 'terraform-vars': ['.tfvars'] },
    roots: [['.terraform.lock.hcl']],
    programs: [{ name: 'terraform-ls' }],
    args: ['serve'],
    diagnostics: 'push',
    ready: 'progress',
    install: 'see https://developer.hashicorp.com/terraform/install'
  },
  {
    name: 'cmake-language-server',
    languages: { cmake: ['.cmake', 'CMakeLists.txt'] },
    roots: [['CMakePresets.json', 'CTestConfig.cmake']],
    programs: [{ name: 'cmake-language-server' }],
    diagnostics: 'push',
    ready: 'initialized',
    install: 'pip install cmake-language-server'
  },
  {
    name: 'nil',
    languages: { nix: ['.nix'] },
    roots: [['flake.nix']],
    programs: [{ name: 'nil' }],
    diagnostics: 'both',
    ready: 'initialized',
    install: 'nix profile install nixpkgs#nil'
  }
]
