// Edits JSON in the person's editor.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readUserFile } from '../../host/user-file.ts'
import type { CliContext } from '../context.ts'
import { CliError, EXIT } from '../exit.ts'

/** Returns the edited text; the file is private and removed afterwards. */
export async function editInEditor({ runtime }: CliContext, text: string): Promise<string> {
  const { VISUAL, EDITOR, TMPDIR } = runtime.env
  const editor = VISUAL || EDITOR || 'vi'
  const folder = mkdtempSync(path.join(TMPDIR || tmpdir(), 'toolgate-'))
  const file = path.join(folder, 'params.json')
  try {
    writeFileSync(file, text, { mode: 0o600 })
    // The variable may include flags, as in "code --wait".
    const { execa } = await import('execa')
    const { failed, exitCode, signal } = await execa('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], {
      env: runtime.env,
      extendEnv: false,
      stdio: 'inherit',
      reject: false
    })
    if (!failed) return readUserFile(file)
    throw new CliError(`The editor (${editor}) exited with ${exitCode ?? signal}; nothing was changed.`, {
      exit: EXIT.failed,
      code: 'EDITOR_FAILED',
      hint: 'To use another editor, set VISUAL or EDITOR.'
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
