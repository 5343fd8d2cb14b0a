// Languages of run_code, as data: interpreter, file name, and module path.

interface Language {
  title: string
  /** Names of interpreters, in order of preference. */
  programs: readonly string[]
  flags: readonly string[]
  /** File name for the code. */
  file: string
  /** Variable for an additional module folder, and its path below the current folder. */
  modules?: { variable: string; subfolder: string }
  /** Hint if no interpreter is installed. */
  installHint: string
}

type LanguageName = 'python' | 'bash' | 'node'

export const LANGUAGES: Readonly<Record<LanguageName, Language>> = {
  python: {
    title: 'Python',
    programs: ['python3', 'python'],
    // Unbuffered output, UTF-8 whatever the locale, no bytecode files beside the workspace's modules.
    flags: ['-u', '-X', 'utf8', '-B'],
    file: 'main.py',
    modules: { variable: 'PYTHONPATH', subfolder: '' },
    installHint: 'Install Python 3, for example the package `python3`.'
  },
  bash: { title: 'Bash', programs: ['bash'], flags: [], file: 'main.sh', installHint: 'Install the package `bash`.' },
  node: {
    title: 'Node',
    programs: ['node'],
    flags: [],
    file: 'main.js',
    modules: { variable: 'NODE_PATH', subfolder: 'node_modules' },
    installHint: 'Install Node.js, and add it to the PATH of the server.'
  }
}
