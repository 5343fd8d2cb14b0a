// The servers for languages that are compiled.
import type { LanguageServer } from './server-definition.ts'

const RUST_WITHOUT_BUILDING = {
  checkOnSave: false,
  cargo: { buildScripts: { enable: false } },
  procMacro: { enable: false }
}
const JAVA = {
  java: {
    import: { generatesMetadataFilesAtProjectRoot: false },
    configuration: { updateBuildConfiguration: 'disabled' }
  }
}

/** Where clangd looks for what a project is made of. */
const COMPILE_COMMANDS = ['compile_commands.json', 'build/compile_commands.json']

const is = (name: string, value: unknown) => (params: unknown) =>
  (params as Record<string, unknown> | null | undefined)?.[name] === value

/** Of all that a Go program knows of how it was built. */
function versionIn(told: string): string | undefined {
  try {
    const { Version } = JSON.parse(told) as { Version?: unknown }
    return typeof Version === 'string' ? Version : undefined
  } catch {
    return undefined
  }
}

export const COMPILED: readonly LanguageServer[] = [
  {
    name: 'clangd',
    languages: {
      c: ['.c'],
      cpp: ['.cc', '.cpp', '.cxx', '.c++', '.h', '.hh', '.hpp', '.hxx', '.ipp', '.inl'],
      'objective-c': ['.m'],
      'objective-cpp': ['.mm'],
      'cuda-cpp': ['.cu', '.cuh']
    },
    roots: [
      ['compile_commands.json', 'compile_flags.txt', '.clangd'],
      ['CMakeLists.txt', 'meson.build', 'Makefile']
    ],
    programs: [{ name: 'clangd' }],
    args: ['--log=error'],
    // Its index goes beside the project's `compile_commands.json`.
    unkept_args: ['--background-index=false'],
    diagnostics: 'push',
    ready: 'progress',
    // It is that list that it makes an index of.
    reads_all: ({ own }) => COMPILE_COMMANDS.some(place => own(place) !== undefined),
    install: 'apt-get install clangd'
  },
  {
    name: 'gopls',
    languages: { go: ['.go'], 'go.mod': ['go.mod'], 'go.sum': ['go.sum'], 'go.work': ['go.work'] },
    roots: [['go.work'], ['go.mod']],
    programs: [{ name: 'gopls' }],
    reads: ['go/pkg/mod'],
    environment: () => ({ GOPROXY: 'off', GOTOOLCHAIN: 'local' }),
    diagnostics: 'push',
    ready: 'progress',
    version: versionIn,
    install: 'go install golang.org/x/tools/gopls@latest'
  },
  {
    name: 'rust-analyzer',
    languages: { rust: ['.rs'] },
    roots: [['Cargo.lock'], ['Cargo.toml', 'rust-project.json']],
    programs: [{ name: 'rust-analyzer' }],
    reads: ['.cargo/registry', '.cargo/git', '.rustup'],
    environment: ({ kept }) => ({ CARGO_NET_OFFLINE: 'true', ...(kept && { CARGO_TARGET_DIR: '/tmp/cargo-target' }) }),
    // What it builds and checks would go into the project.
    options: ({ kept }) => (kept ? {} : RUST_WITHOUT_BUILDING),
    settings: ({ kept }) => ({ 'rust-analyzer': kept ? {} : RUST_WITHOUT_BUILDING }),
    experimental: { serverStatusNotification: true },
    diagnostics: 'both',
    ready: { notification: 'experimental/serverStatus', says: is('quiescent', true) },
    install: 'rustup component add rust-analyzer'
  },
  {
    name: 'zls',
    languages: { zig: ['.zig', '.zon'] },
    roots: [['build.zig', 'zls.json']],
    programs: [{ name: 'zls' }],
    diagnostics: 'push',
    ready: 'initialized',
    install: 'see https://zigtools.org/zls/install'
  },
  {
    name: 'jdtls',
    languages: { java: ['.java'] },
    roots: [
      ['settings.gradle', 'settings.gradle.kts', 'gradlew', 'mvnw'],
      ['pom.xml', 'build.gradle', 'build.gradle.kts', 'build.xml']
    ],
    programs: [{ name: 'jdtls' }],
    reads: ['.m2/repository', '.gradle/caches', '.gradle/wrapper'],
    // Its own files would go into the project.
    options: () => ({ settings: JAVA }),
    settings: () => JAVA,
    diagnostics: 'push',
    ready: { notification: 'language/status', says: is('type', 'ServiceReady') },
    install: 'see https://github.com/eclipse-jdtls/eclipse.jdt.ls#installation'
  },
  {
    name: 'kotlin-language-server',
    languages: { kotlin: ['.kt', '.kts'] },
    roots: [
      ['settings.gradle', 'settings.gradle.kts'],
      ['pom.xml', 'build.gradle', 'build.gradle.kts', 'build.xml']
    ],
    programs: [{ name: 'kotlin-language-server' }],
    reads: ['.m2/repository', '.gradle/caches', '.gradle/wrapper'],
    diagnostics: 'push',
    ready: 'progress',
    install: 'see https://github.com/fwcd/kotlin-language-server'
  },
  {
    name: 'csharp-ls',
    languages: { csharp: ['.cs'] },
    roots: [['global.json', 'Directory.Build.props']],
    programs: [{ name: 'csharp-ls' }],
    reads: ['.nuget/packages', '.dotnet'],
    diagnostics: 'both',
    ready: 'progress',
    install: 'dotnet tool install --global csharp-ls'
  },
  {
    name: 'sourcekit-lsp',
    languages: { swift: ['.swift'] },
    roots: [['buildServer.json'], ['Package.swift', 'compile_commands.json']],
    programs: [{ name: 'sourcekit-lsp' }],
    // What it builds would go into the project.
    options: () => ({ backgroundIndexing: false }),
    diagnostics: 'both',
    ready: 'progress',
    install: 'see https://www.swift.org/install: it comes with Swift'
  },
  {
    name: 'dart',
    languages: { dart: ['.dart'] },
    roots: [['pubspec.yaml']],
    programs: [{ name: 'dart' }],
    args: ['language-server', '--protocol=lsp'],
    reads: ['.pub-cache'],
    options: () => ({ onlyAnalyzeProjectsWithOpenFiles: true }),
    diagnostics: 'push',
    ready: 'progress',
    install: 'see https://dart.dev/get-dart: it comes with Dart'
  },
  {
    name: 'haskell-language-server',
    languages: { haskell: ['.hs'] },
    roots: [['hie.yaml', 'stack.yaml', 'cabal.project'], ['package.yaml']],
    programs: [{ name: 'haskell-language-server-wrapper' }, { name: 'haskell-language-server' }],
    args: ['--lsp'],
    reads: ['.cabal', '.ghcup', '.local/state/cabal', '.stack'],
    diagnostics: 'push',
    ready: 'progress',
    install: 'ghcup install hls'
  },
  {
    name: 'ocamllsp',
    languages: { ocaml: ['.ml'], 'ocaml.interface': ['.mli'] },
    roots: [['dune-workspace'], ['dune-project']],
    programs: [{ name: 'ocamllsp' }],
    reads: ['.opam'],
    diagnostics: 'push',
    ready: 'initialized',
    install: 'opam install ocaml-lsp-server'
  }
]
