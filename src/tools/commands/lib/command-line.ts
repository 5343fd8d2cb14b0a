// Common parts of tools that run a command line: params, policy input, and preview.
import { type Static, Type } from 'typebox'
import { invalidParam, ToolError } from '../../../errors.ts'
import { explainUnreachable, hostPatternError } from '../../../host/egress/host-patterns.ts'
import {
  NO_LOCKS_GIT_ENV,
  NO_PROGRAM_SETTINGS,
  NO_PROGRAMS_GIT_ENV,
  NO_USER_CONFIG_GIT_ENV,
  REAL_OBJECTS_GIT_ENV
} from '../../../host/git/hardening.ts'
import { type GitSetting, toConfigEnv } from '../../../host/git-settings.ts'
import { GIT_ATTRIBUTES_FILE } from '../../../host/sandbox/secret-attributes.ts'
import { ACCEPTED_LEVELS, currentLevel, ISOLATION_LEVELS } from '../../../protocol/isolation-levels.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import { summarizeLines } from '../../../text/title-line.ts'
import type { LookupContext, RunContext } from '../../../tool/contexts.ts'
import type { Preview } from '../../../tool/plan.ts'
import type { CommandRequest } from '../../../tool/request.ts'

export const commandParams = {
  command: Type.String({
    minLength: 1,
    maxLength: 65_536,
    description: 'Command line for bash, or sh if bash is missing.'
  }),
  cwd: Type.Optional(Type.String({ description: 'Working folder. Default: workspace root.' })),
  env: Type.Optional(
    Type.Record(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }), Type.String(), {
      additionalProperties: false,
      description: 'Environment variables.'
    })
  ),
  description: Type.Optional(Type.String({ description: 'Purpose of the command, shown to the approver.' })),
  isolation: Type.Optional(
    Type.Enum([...ACCEPTED_LEVELS], {
      description:
        'Sandbox level: `workspace` (writes only the workspace), `read-only` or `strict` (writes only temporary files), or `none`. A level below the default needs approval.'
    })
  ),
  network: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
      maxItems: 64,
      description: 'Hosts to allow, such as example.com or *.example.com. Needs approval.'
    })
  ),
  separate_streams: Type.Optional(
    Type.Boolean({
      description: 'Return stdout and stderr separately, without their order.'
    })
  )
}

const CommandParams = Type.Object(commandParams)
type CommandParams = Static<typeof CommandParams>

/** Settings of git in commands that run without approval, besides those that the sandbox adds for what a repository names itself. */
const SAFE_GIT_SETTINGS: readonly GitSetting[] = [
  ...NO_PROGRAM_SETTINGS,
  // Where a sandbox provides it: files that may hold credentials are left out.
  ['core.attributesFile', GIT_ATTRIBUTES_FILE],
  // In the combined diff of a merge, the new name alone would decide if a renamed file is left out.
  ['diff.renames', 'false'],
  ['status.renames', 'true'],
  // Git permits an alias in place of this deprecated command.
  ['alias.whatchanged', 'log --raw --no-merges']
]
const SAFE_GIT_ENV: Readonly<Record<string, string>> = {
  ...NO_LOCKS_GIT_ENV,
  ...NO_PROGRAMS_GIT_ENV,
  ...NO_USER_CONFIG_GIT_ENV,
  ...REAL_OBJECTS_GIT_ENV,
  ...toConfigEnv(SAFE_GIT_SETTINGS)
}

/** Isolation level of a command, as reported in results. */
export const IsolationOutput = Type.Enum([...ISOLATION_LEVELS], {
  description: 'Level of the sandbox that was used: read-only, workspace or none.'
})

/** Builds the request for a command; `also` names additional params of the tool that alter its effect. */
export const commandRequest = (
  { command, cwd = '.', env, stdin, isolation, network }: CommandParams & { stdin?: string | undefined },
  also: readonly string[] = []
): CommandRequest => ({
  line: command,
  cwd,
  modifiers: [...(env && Object.keys(env).length > 0 ? ['env'] : []), ...also],
  ...(env && { envNames: Object.keys(env) }),
  ...((env || stdin !== undefined) && { execution: { line: command, env, stdin } }),
  ...((isolation !== undefined || network !== undefined) && {
    isolation: { level: isolation && currentLevel(isolation), network }
  })
})

/** Rejects invalid commands before an approval is requested. */
export function checkCommand(input: CommandParams, ctx: Pick<LookupContext, 'host'>) {
  const { command, env = {} } = input
  const texts: [name: string, text: string][] = [['command', command]]
  for (const [name, value] of Object.entries(env)) texts.push([`env/${name}`, value])
  for (const [name, text] of texts) if (text.includes('\0')) throw invalidParam(name, 'contains a null character.')
  checkHosts(input)
  if (input.isolation === 'none' && input.network)
    throw invalidParam('network', 'requires a sandbox: with isolation none all hosts are reachable.')
  commandFolder(input, ctx)
}

/** Rejects hosts that no sandbox accepts. */
export function checkHosts({ network = [] }: Pick<CommandParams, 'network'>) {
  for (const [i, host] of network.entries()) {
    const error = hostPatternError(host) ?? explainUnreachable(host)
    if (error) throw invalidParam(`network/${i}`, error)
  }
}

/**
 * Returns the program to start. For automatic approval, a single program gets its arguments without a shell that might parse them
 * differently, git runs no program named by a repository, and no workspace program shadows one of the machine.
 */
export function commandToStart(
  { command: line, env }: CommandParams,
  { command: { autoApproval }, host }: Pick<RunContext, 'command' | 'host'>
) {
  if (!autoApproval) return { command: line, env }
  const { argv } = autoApproval
  const own = { ...env, ...SAFE_GIT_ENV, PATH: host.processes.searchPath() }
  const there = argv && host.processes.find([argv[0]!], own) !== undefined
  return { ...(there ? { argv } : { command: line }), env: own }
}

/** Returns the canonical path of its working directory. */
export function commandFolder(
  { cwd = '.' }: Pick<CommandParams, 'cwd'>,
  { host }: Pick<LookupContext, 'host'>
): string {
  const { path, kind } = host.files.resolve(host.files.accept(cwd))
  if (kind === 'missing') throw new ToolError('FILE_NOT_FOUND', `${cwd} does not exist.`, { path: cwd })
  if (kind !== 'directory') throw new ToolError('NOT_A_DIRECTORY', `${cwd} is not a folder.`, { path: cwd })
  return path
}

/**
 * Shows the complete command, literally; `more` are additional lines of the tool. Continuation lines are indented where they could
 * be taken for another part of the preview.
 */
export function commandPreview(input: CommandParams, more: readonly string[] = []): Preview {
  const { command, cwd = '.', env = {}, description, isolation, network } = input
  const literal = [
    command.replace(/^(?=Executes )/gm, '    '),
    `cwd: ${cwd}`,
    ...Object.entries(env).map(([name, value]) => `env: ${name}=${value}`),
    ...(isolation === undefined ? [] : [`isolation: ${currentLevel(isolation)}`]),
    ...(network === undefined ? [] : [`network: ${network.join(', ') || 'none'}`]),
    ...more
  ]
    .map((part, i) => (i === 0 ? part : part.replaceAll('\n', '\n    ')))
    .join('\n')
  const text = escapeInvisible(literal)
  return {
    title: commandTitle(input),
    text,
    notes: text === literal ? [] : ['Contains control or invisible characters; they are shown as \\u{…}.'],
    information: description === undefined ? [] : [`Description by the caller: ${escapeInvisible(description)}`]
  }
}

/** Returns the command on one line, with the number of further lines. */
export const commandTitle = ({ command }: CommandParams) => escapeInvisible(summarizeLines(command))
