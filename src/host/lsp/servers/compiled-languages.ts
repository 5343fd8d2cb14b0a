// Servers for compiled languages.
import type { LanguageServerDefinition } from './server-definition.ts'

const RUST_NO_BUILD_SETTINGS = {
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

/** Paths at which clangd looks for the compilation database. */
const COMPILE_COMMANDS = ['compile_commands.json', 'build/compile_commands.json']

const paramEquals = (name: string, value: unknown) => (params: unknown) =>
  (params as Record<string, unknown> | null | undefined)?.[name] === value

/** Extracts the Go version from the build information. */
function parseGoVersion(output: string): string | undefined {
  try {
    const { Version } = JSON.parse(output) as { Version?: unknown }
    return typeof Version === 'string' ? Version : undefined
  } catch {
    return undefined
  }
}

export const COMPILED_LANGUAGE_SERVERS: readonly LanguageServerDefinition[] = [
  {
    name: 'clangd',
    languages: {
      c: ['.c'],
      cpp: ['.cc', '.cpp', '.cxx', '.c++', '.h', '.hh', '.hpp', '.hxx', '.ipp', '.inl'],
      'objective-c': ['.m'],
      'objective-cpp': ['.mm'],
      'cuda-cpp': ['.cu', '.cuh']
    },
    rootMarkers: [
      ['compile_commands.json', 'compile_flags.txt', '.clangd'],
      ['CMakeLists.txt', 'meson.build', 'Makefile']
    ],
    programs: [{ name: 'clangd' }],
    args: ['--log=error'],
    // Its index would be stored beside the project's `compile_commands.json`.
    unsandboxedArgs: ['--background-index=false'],
    diagnostics: 'push',
    readySignal: 'progress',
    // It indexes the files of that database, and ignores one that it cannot parse.
    readsWholeProject: ({ readJsonInProject }) =>
      COMPILE_COMMANDS.some(place => Array.isArray(readJsonInProject(place))),
    install: 'apt-get install clangd'
  },
  {
    name: 'gopls',
    languages: { go: ['.go'], 'go.mod': ['go.mod'], 'go.sum': ['go.sum'], 'go.work': ['go.work'] },
    rootMarkers: [['go.work'], ['go.mod']],
    programs: [{ name: 'gopls' }],
    homeFolders: ['go/pkg/mod'],
    environment: () => ({ GOPROXY: 'off', GOTOOLCHAIN: 'local' }),
    diagnostics: 'push',
    readySignal: 'progress',
    parseVersion: parseGoVersion,
    install: 'go install golang.org/x/tools/gopls@latest'
  },
  {
    name: 'rust-analyzer',
    languages: { rust: ['.rs'] },
    rootMarkers: [['Cargo.lock'], ['Cargo.toml', 'rust-project.json']],
    programs: [{ name: 'rust-analyzer' }],
    homeFolders: ['.cargo/registry', '.cargo/git', '.rustup'],
    environment: ({ isSandboxed }) => ({
      CARGO_NET_OFFLINE: 'true',
      ...(isSandboxed && { CARGO_TARGET_DIR: '/tmp/cargo-target' })
    }),
    // Its build and check results would be stored in the project.
    initializationOptions: ({ isSandboxed }) => (isSandboxed ? {} : RUST_NO_BUILD_SETTINGS),
    settings: ({ isSandboxed }) => ({ 'rust-analyzer': isSandboxed ? {} : RUST_NO_BUILD_SETTINGS }),
    experimental: { serverStatusNotification: true },
    diagnostics: 'both',
    readySignal: { notification: 'experimental/serverStatus', isReady: paramEquals('quiescent', true) },
    install: 'rustup component add rust-analyzer'
  },
  {
    name: 'zls',
    languages: { zig: ['.zig', '.zon'] },
    rootMarkers: [['build.zig', 'zls.json']],
    programs: [{ name: 'zls' }],
    diagnostics: 'push',
    readySignal: 'initialized',
    install: 'see https://zigtools.org/zls/install'
  },
  {
    name: 'jdtls',
    languages: { java: ['.java'] },
    rootMarkers: [
      ['settings.gradle', 'settings.gradle.kts', 'gradlew', 'mvnw'],
      ['pom.xml', 'build.gradle', 'build.gradle.kts', 'build.xml']
    ],
    programs: [{ name: 'jdtls' }],
    homeFolders: ['.m2/repository', '.gradle/caches', '.gradle/wrapper'],
    // Its own files would be stored in the project.
    initializationOptions: () => ({ settings: JAVA }),
    settings: () => JAVA,
    diagnostics: 'push',
    readySignal: { notification: 'language/status', isReady: paramEquals('type', 'ServiceReady') },
    install: 'see https://github.com/eclipse-jdtls/eclipse.jdt.ls#installation'
  },
  {
    name: 'kotlin-language-server',
    languages: { kotlin: ['.kt', '.kts'] },
    rootMarkers: [
      ['settings.gradle', 'settings.gradle.kts'],
      ['pom.xml', 'build.gradle', 'build.gradle.kts', 'build.xml']
    ],
    programs: [{ name: 'kotlin-language-server' }],
    homeFolders: ['.m2/repository', '.gradle/caches', '.gradle/wrapper'],
    diagnostics: 'push',
    readySignal: 'progress',
    install: 'see https://github.com/fwcd/kotlin-language-server'
  },
  {
    name: 'csharp-ls',
    languages: { csharp: ['.cs'] },
    rootMarkers: [['global.json', 'Directory.Build.props']],
    programs: [{ name: 'csharp-ls' }],
    homeFolders: ['.nuget/packages', '.dotnet'],
    diagnostics: 'both',
    readySignal: 'progress',
    install: 'dotnet tool install --global csharp-ls'
  },
  {
    name: 'sourcekit-lsp',
    languages: { swift: ['.swift'] },
    rootMarkers: [['buildServer.json'], ['Package.swift', 'compile_commands.json']],
    programs: [{ name: 'sourcekit-lsp' }],
    // Its build results would be stored in the project.
    initializationOptions: () => ({ backgroundIndexing: false }),
    diagnostics: 'both',
    readySignal: 'progress',
    install: 'see https://www.swift.org/install: included in Swift'
  },
  {
    name: 'dart',
    languages: { dart: ['.dart'] },
    rootMarkers: [['pubspec.yaml']],
    programs: [{ name: 'dart' }],
    args: ['language-server', '--protocol=lsp'],
    homeFolders: ['.pub-cache'],
    initializationOptions: () => ({ onlyAnalyzeProjectsWithOpenFiles: true }),
    diagnostics: 'push',
    readySignal: 'progress',
    install: 'see https://dart.dev/get-dart: included in Dart'
  },
  {
    name: 'haskell-language-server',
    languages: { haskell: ['.hs'] },
    rootMarkers: [['hie.yaml', 'stack.yaml', 'cabal.project'], ['package.yaml']],
    programs: [{ name: 'haskell-language-server-wrapper' }, { name: 'haskell-language-server' }],
    args: ['--lsp'],
    homeFolders: ['.cabal', '.ghcup', '.local/state/cabal', '.stack'],
    diagnostics: 'push',
    readySignal: 'progress',
    install: 'ghcup install hls'
  },
  {
    name: 'ocamllsp',
    languages: { ocaml: ['.ml'], 'ocaml.interface': ['.mli'] },
    rootMarkers: [['dune-workspace'], ['dune-project']],
    programs: [{ name: 'ocamllsp' }],
    homeFolders: ['.opam'],
    diagnostics: 'push',
    readySignal: 'initialized',
    install: 'opam install ocaml-lsp-server'
  }
]
