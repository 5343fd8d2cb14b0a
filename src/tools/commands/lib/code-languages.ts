// The languages of run_code, as data: who runs the code, from what kind of file, and where it looks for modules.

interface Language {
  title: string
  /** Names of programs that run it, the preferred one first. */
  programs: readonly string[]
  flags: readonly string[]
  /** Name of the file that holds the code. */
  file: string
  /** Variable that names a further folder for modules, and where beneath the current folder that is. */
  modules?: { variable: string; subfolder: string }
  /** What to do where there is none of the programs. */
  installHint: string
}

type LanguageName = 'python' | 'bash' | 'node'

export const LANGUAGES: Readonly<Record<LanguageName, Language>> = {
  python: {
    title: 'Python',
    programs: ['python3', 'python'],
    // Output as it is printed, UTF-8 whatever the locale, no bytecode beside the modules of the workspace.
    flags: ['-u', '-X', 'utf8', '-B'],
    file: 'main.py',
    modules: { variable: 'PYTHONPATH', subfolder: '' },
    installHint: 'Install Python 3, such as by the package `python3`.'
  },
  bash: { title: 'Bash', programs: ['bash'], flags: [], file: 'main.sh', installHint: 'Install the package `bash`.' },
  node: {
    title: 'Node',
    programs: ['node'],
    flags: [],
    file: 'main.js',
    modules: { variable: 'NODE_PATH', subfolder: 'node_modules' },
    installHint: 'Install Node.js, and have its folder on the PATH that the server is started with.'
  }
}
