// The servers for languages that are run as they are written.
import type { LanguageServer } from './server-row.ts'

export const SCRIPTED: readonly LanguageServer[] = [
  {
    name: 'pyright',
    languages: { python: ['.py', '.pyi'] },
    roots: [
      ['pyrightconfig.json'],
      ['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', 'Pipfile', 'poetry.lock', 'uv.lock']
    ],
    programs: [
      { own: 'node_modules/.bin/pyright-langserver' },
      { own: '.venv/bin/pyright-langserver' },
      { own: 'venv/bin/pyright-langserver' },
      { name: 'pyright-langserver' }
    ],
    args: ['--stdio'],
    settings: ({ own }) => ({
      python: {
        pythonPath: own('.venv/bin/python') ?? own('venv/bin/python'),
        analysis: { autoSearchPaths: true, diagnosticMode: 'openFilesOnly', useLibraryCodeForTypes: true }
      }
    }),
    diagnostics: 'both',
    ready: 'progress',
    install: 'npm install --global pyright'
  },
  {
    name: 'bash-language-server',
    languages: { shellscript: ['.sh', '.bash', '.bats', '.bashrc', '.bash_profile', '.profile'] },
    roots: [],
    programs: [{ own: 'node_modules/.bin/bash-language-server' }, { name: 'bash-language-server' }],
    args: ['start'],
    settings: () => ({ bashIde: { shfmt: { path: '' }, backgroundAnalysisMaxFiles: 500 } }),
    diagnostics: 'push',
    ready: 'initialized',
    version: '--version',
    install: 'npm install --global bash-language-server (and shellcheck, which finds the faults)'
  }
]
