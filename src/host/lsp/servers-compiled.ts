// The servers for languages that are compiled.
import type { LanguageServer } from './server-row.ts'

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
    version: '--version',
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
    install: 'go install golang.org/x/tools/gopls@latest'
  }
]
