// Shows changes of configuration files as a diff, asks, and writes them.
import { rmSync } from 'node:fs'
import { writeConfigFile } from '../../server/config-file.ts'
import { unifiedDiff } from '../../text/diff/unified-diff.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import type { CliContext } from '../context.ts'
import { CliError, EXIT, usageError } from '../exit.ts'
import { readIfExists, type Texts } from './apply-edits.ts'

interface FileChange {
  file: string
  /** Undefined: the file does not exist. */
  before: string | undefined
  after: string | undefined
}

/** Returns the files whose text differs. */
export const listChanges = (before: Texts, after: Texts): FileChange[] =>
  [...after]
    .map(([file, text]) => ({ file, before: before.get(file), after: text }))
    .filter(change => change.before !== change.after)

/** Shows the changes and asks for consent. Throws if the person declines, or if a file changed in the meantime. */
export async function confirmChanges(context: CliContext, changes: readonly FileChange[], yes: boolean): Promise<void> {
  const { terminal } = context
  if (changes.length === 0) return
  for (const { file, before, after } of changes)
    if (!terminal.json) terminal.info(escapeInvisible(unifiedDiff(file.replace(/^\//, ''), before, after).diff))
  if (!yes && !context.canPrompt)
    throw usageError('Cannot prompt: standard input is not a terminal.', 'Use --yes to make these changes.')
  const question = `Change ${changes.length === 1 ? 'this file' : 'these files'}? [y/N] `
  if (!yes && !/^y(?:es)?$/i.test(await context.prompt(question)))
    throw new CliError('Nothing was changed.', { exit: EXIT.rejected, code: 'REJECTED' })
  for (const { file, before } of changes)
    if (readIfExists(file) !== before)
      throw new CliError(`${file} changed while it was shown. Nothing was changed.`, {
        exit: EXIT.conflict,
        code: 'CONFLICT',
        hint: 'Run the command again.'
      })
}

export function writeChanges(changes: readonly FileChange[]): void {
  for (const { file, after } of changes) {
    if (after === undefined) rmSync(file)
    else writeConfigFile(file, after)
  }
}
