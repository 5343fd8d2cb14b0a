// State of a named shell: a command starts with its folder and variables, and records those that it leaves.
import { relative } from 'node:path'
import type { PrivateTempFile } from '../../../host/processes/private-temp-file.ts'
import type { RunContext } from '../../../tool/contexts.ts'
import type { NamedShell } from '../../../tool/named-shell.ts'

/** Maximum size of the record, which has all exported variables twice, and of the variables that are carried, in bytes. */
const MAX_RECORD_BYTES = 1 << 20
const MAX_VARIABLES_BYTES = 32_768

/** Variables of each command itself. */
const OWN_VARIABLES = /^(?:_|SHLVL|PWD|OLDPWD|TOOL_CALL_ID|TOOL_PROCESS|TOOLGATE_.*)$/
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Name of the file in which a command records its state. */
export const RECORD_NAME = 'shell-state'

/**
 * Records the exported variables before the command line, and its folder and variables when the shell exits. It stands on the first
 * line, so that lines of error messages keep their numbers.
 */
const RECORDER = [
  '__toolgate_record=$1',
  'shift',
  '/usr/bin/env -0 >"$__toolgate_record"',
  'trap \'{ printf "\\0"; pwd -P; printf "\\0"; /usr/bin/env -0; } >>"$__toolgate_record"\' EXIT; '
].join('; ')

/** Returns the line that also records the state in the file that is its first argument. */
export const recordingLine = (command: string): string => RECORDER + command

/** Returns the params of a call with the folder and the variables of its shell, which the params override. */
export function inShell<P extends { cwd?: string | undefined; env?: Record<string, string> | undefined }>(
  params: P,
  shell: NamedShell | undefined
): P {
  if (!shell) return params
  const env = { ...shell.env, ...params.env }
  return { ...params, cwd: params.cwd ?? shell.cwd, ...(Object.keys(env).length > 0 && { env }) }
}

/** State of the shell after a command, as part of its result. */
export interface ShellReport {
  cwd: string
  variables: string[]
  note?: string
}

/** Stores what the command left to the next one, and reports it. */
export async function saveShellState(
  shell: NamedShell,
  record: PrivateTempFile,
  ctx: RunContext
): Promise<ShellReport> {
  const bytes = await record.read(MAX_RECORD_BYTES)
  const state = bytes && parseRecord(bytes)
  if (!state)
    return reportShell(shell, [
      'Working folder and variables were not saved: the command line ended or replaced the shell.'
    ])
  const folder = toWorkspaceFolder(state.cwd, ctx)
  const variables = mergeVariables(shell.env, state)
  const notes = [
    ...(folder === undefined
      ? [`At the end of the command, the shell was outside the workspace. The next command starts in ${shell.cwd}.`]
      : []),
    ...(variables === undefined
      ? [
          `More than ${MAX_VARIABLES_BYTES} bytes of variables were exported, which is over the limit: the shell keeps its previous variables.`
        ]
      : [])
  ]
  const next = { name: shell.name, cwd: folder ?? shell.cwd, env: variables ?? shell.env }
  await ctx.session.saveShell(next)
  return reportShell(next, notes)
}

/** Reports the state of a shell, with reasons for which something is not carried over. */
export const reportShell = ({ cwd, env }: NamedShell, notes: readonly string[] = []): ShellReport => ({
  cwd,
  variables: Object.keys(env).sort(),
  ...(notes.length > 0 && { note: notes.join(' ') })
})

interface RecordedState {
  cwd: string
  before: ReadonlyMap<string, string>
  after: ReadonlyMap<string, string>
}

/** Parses variables, an empty entry, the folder with a newline, and variables; undefined if anything is missing. */
function parseRecord(bytes: Buffer): RecordedState | undefined {
  const text = bytes.toString('utf8')
  const middle = text.indexOf('\0\0')
  const end = text.indexOf('\n\0', middle + 2)
  if (middle < 0 || end < 0 || !text.endsWith('\0')) return undefined
  return {
    cwd: text.slice(middle + 2, end),
    before: parseVariables(text.slice(0, middle)),
    after: parseVariables(text.slice(end + 2))
  }
}

function parseVariables(text: string): Map<string, string> {
  const entries = text.split('\0').map((entry): [string, string] => {
    const cut = entry.indexOf('=')
    return [entry.slice(0, Math.max(0, cut)), entry.slice(cut + 1)]
  })
  return new Map(entries.filter(([name]) => VARIABLE_NAME.test(name) && !OWN_VARIABLES.test(name)))
}

/** Returns the carried variables after a command: what it changed counts, not what it was given. Undefined if they are too large. */
function mergeVariables(carried: NamedShell['env'], { before, after }: RecordedState): NamedShell['env'] | undefined {
  const env = Object.fromEntries(
    [...after].flatMap(([name, value]) => {
      if (before.get(name) !== value) return [[name, value]]
      const kept = carried[name]
      return kept === undefined ? [] : [[name, kept]]
    })
  )
  return Buffer.byteLength(JSON.stringify(env)) > MAX_VARIABLES_BYTES ? undefined : env
}

/** Returns the canonical path of a folder of the workspace; undefined if it is none, or one that commands may not start in. */
function toWorkspaceFolder(cwd: string, { call: { workspace }, host }: RunContext): string | undefined {
  try {
    const { path, kind } = host.files.resolve(relative(workspace.root, cwd) || '.')
    return kind === 'directory' ? path : undefined
  } catch {
    return undefined
  }
}
