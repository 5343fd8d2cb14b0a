// Remembers what a set-up changed, so that it can be undone.
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { writeConfigFile } from '../../server/config-file.ts'
import { xdgFolder } from '../../server/xdg.ts'
import { type DoneEdit, readIfExists } from './apply-edits.ts'

type Env = Parameters<typeof xdgFolder>[0]

/** Returns the file for an agent and the folder that it is set up for: a project, or the home folder. */
export function recordFile(env: Env, agent: string, folder: string): string {
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 16)
  return path.join(xdgFolder(env, 'XDG_STATE_HOME', '.local/state'), 'toolgate/agent-setup', `${agent}-${hash}.json`)
}

/** Returns the edits that were made; none if the agent was not set up for the project. */
export function readRecord(file: string): DoneEdit[] {
  const text = readIfExists(file)
  return text === undefined ? [] : (JSON.parse(text) as { edits: DoneEdit[] }).edits
}

export function writeRecord(file: string, edits: readonly DoneEdit[]): void {
  if (edits.length === 0) rmSync(file, { force: true })
  else writeConfigFile(file, `${JSON.stringify({ edits }, null, 2)}\n`)
}
