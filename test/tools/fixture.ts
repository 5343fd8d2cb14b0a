// Fixture: a tool context made by hand, with a real workspace in a temporary folder, and all reports and waits recorded.
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execaSync } from 'execa'
import type { Test } from 'tap'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { ToolError } from '../../src/errors.ts'
import type { Change } from '../../src/host/change.ts'
import { ComputePool } from '../../src/host/compute/compute-pool.ts'
import { PdfReader } from '../../src/host/compute/pdf-reader.ts'
import { Files } from '../../src/host/files/files.ts'
import { LineIndexes } from '../../src/host/files/line-index.ts'
import { openWorkspace } from '../../src/host/files/paths.ts'
import { RecentTexts } from '../../src/host/files/recent-texts.ts'
import type { Host } from '../../src/host/host.ts'
import type { BackgroundTasks } from '../../src/tool/background-tasks.ts'
import type { History, RunContext } from '../../src/tool/contexts.ts'
import type { Plan, Preview } from '../../src/tool/plan.ts'
import type { Request } from '../../src/tool/request.ts'
import { PresentedOutput, type Progress } from '../../src/tool/result.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { CALL_ID } from '../call-id.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { within } from '../support/wait.ts'

export interface ToolFixture {
  root: string
  /** A folder beside the workspace that must stay unreachable. */
  outside: string
  stateDir: string
  ctx: RunContext
  files: Files
  /** Reports in order; 'committed' where the intent became durable. */
  reported: (Change | 'committed')[]
  abort: AbortController
}

/** The history of a workspace without calls. */
export const NO_HISTORY: History = {
  find: () => undefined,
  since: () => [],
  movesAfter: () => [],
  isOwn: () => false,
  formerFile: async () => undefined
}

const delegateUnavailable = () => new ToolError('DELEGATE_UNAVAILABLE', 'nobody is there')

/** Delegation without a front end. */
const NO_FRONT_END: RunContext['delegate'] = Object.assign(() => Promise.reject(delegateUnavailable()), {
  assertAvailable: () => {
    throw delegateUnavailable()
  }
})

export type FileTree = { [name: string]: string | Uint8Array | FileTree }

/** `hooks.committed` runs when the tool requests durability of the intent. */
export function createToolFixture(
  t: Test,
  tree: FileTree = {},
  hooks: { committed?: () => Promise<void> } = {}
): ToolFixture {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'files-')))
  t.teardown(() => removeFolder(top))
  const [root, outside, stateDir] = ['ws', 'out', 'state'].map(name => join(top, name)) as [string, string, string]
  for (const folder of [root, outside, stateDir]) mkdirSync(folder)
  writeTree(root, tree)
  const abort = new AbortController()
  const reported: ToolFixture['reported'] = []
  const commitIntent = async () => {
    await hooks.committed?.()
    reported.push('committed')
  }
  const effects = { signal: abort.signal, commitIntent, recordChange: (change: Change) => reported.push(change) }
  const workspace = openWorkspace('default', root)
  const guard = { stateDir, sensitive: [] }
  const files = new Files(workspace, guard, effects)
  const texts = new RecentTexts(guard).forWorkspace(workspace)
  const compute = new ComputePool()
  t.teardown(() => compute.close())
  const ctx: RunContext = {
    call: { id: CALL_ID, sessionId: 'test', workspace: { name: 'default', root, spellings: [root] } },
    signal: abort.signal,
    jobs: { detachSignal: new AbortController().signal } as BackgroundTasks,
    // Deliberately incomplete: a tool of this folder that used more would fail at once.
    host: { files, compute, lines: new LineIndexes(), texts, pdf: new PdfReader() } as Host,
    command: { isolation: { level: 'none', network: [] }, isReadOnly: false },
    history: NO_HISTORY,
    delegate: NO_FRONT_END,
    decideFetch: () => 'ask',
    canReveal: ({ path, entry }) => !(entry ? files.peekEntry(path) : files.peek(path)).sensitive,
    session: {
      read: () => undefined,
      write: async () => {},
      shell: name => ({ name, cwd: '.', env: {} }),
      saveShell: async () => {}
    }
  }
  return { root, outside, stateDir, ctx, files, reported, abort }
}

export function writeTree(folder: string, tree: FileTree) {
  for (const [name, content] of Object.entries(tree)) {
    const path = join(folder, name)
    if (typeof content === 'string' || content instanceof Uint8Array) writeFileSync(path, content)
    else {
      mkdirSync(path, { recursive: true })
      writeTree(path, content)
    }
  }
}

/** Returns what a call names. */
export const requestOf = async <I extends TSchema, O extends TSchema, P>(
  tool: Tool<I, O, P>,
  input: Static<I>,
  ctx: RunContext
): Promise<Request> => tool.request(input, ctx)

/** Plans a call like the engine. A tool without a plan has none. */
export async function planOf<I extends TSchema, O extends TSchema, P>(
  tool: Tool<I, O, P>,
  input: Static<I>,
  ctx: RunContext
): Promise<Plan<P>> {
  const request = await requestOf(tool, input, ctx)
  const plan = (await tool.plan?.(input, ctx, request)) ?? { state: undefined as P }
  if (plan.obstacle) throw plan.obstacle
  return plan
}

/** Returns the effect of a call as planned. */
export async function effectOf<I extends TSchema, O extends TSchema, P>(
  tool: Tool<I, O, P>,
  input: Static<I>,
  ctx: RunContext
) {
  const { effect = tool.effect } = await requestOf(tool, input, ctx)
  return (await planOf(tool, input, ctx)).effect ?? effect
}

/** Returns the preview of a call. */
export const previewOf = async <I extends TSchema, O extends TSchema, P>(
  tool: Tool<I, O, P>,
  input: Static<I>,
  ctx: RunContext
): Promise<Preview> => (await planOf(tool, input, ctx)).preview!()

/** Returns the reason for which a call needs approval in any case: a sentence, or one for a strict approval. */
export async function reviewOf<I extends TSchema, O extends TSchema, P>(
  tool: Tool<I, O, P>,
  input: Static<I>,
  ctx: RunContext
): Promise<string | { strict: string } | undefined> {
  const { strict, ask } = (await planOf(tool, input, ctx)).reasons ?? {}
  return strict === undefined ? ask : { strict }
}

/** Plans and runs a tool like the engine, validating input and output. */
export async function runTool<I extends TSchema, O extends TSchema, P>(
  tool: Tool<I, O, P>,
  input: Static<I>,
  ctx: RunContext
): Promise<Static<O>> {
  if (!Value.Check(tool.input, input)) throw new Error(`the test's input does not fit the schema of ${tool.name}`)
  return runPlanned(tool, input, ctx, await planOf(tool, input, ctx))
}

/** Runs a call that was planned before, validating its output. */
export async function runPlanned<I extends TSchema, O extends TSchema, P>(
  tool: Tool<I, O, P>,
  input: Static<I>,
  ctx: RunContext,
  { state }: Plan<P>
): Promise<Static<O>> {
  const result = await drainResult(tool.run(input, ctx, state))
  const output = (result instanceof PresentedOutput ? result.output : result) as Static<O>
  if (!Value.Check(tool.output, output)) {
    throw new Error(`${tool.name} answers against its schema: ${JSON.stringify(Value.Errors(tool.output, output))}`)
  }
  return output
}

const drainResult = <T>(running: T | Promise<T> | AsyncGenerator<Progress, T>) =>
  within('the tool to end', ended(running))

async function ended<T>(running: T | Promise<T> | AsyncGenerator<Progress, T>): Promise<T> {
  if (!isGenerator(running)) return running
  for (;;) {
    const step = await running.next()
    if (step.done) return step.value
  }
}

function isGenerator<T>(running: unknown): running is AsyncGenerator<Progress, T> {
  return typeof running === 'object' && running !== null && Symbol.asyncIterator in running
}

/** Returns the error of a failing function; 'nothing' if it succeeds. */
export async function catchToolError(work: () => unknown): Promise<ToolError> {
  try {
    await work()
  } catch (error) {
    if (error instanceof ToolError) return error
    throw error
  }
  throw new Error('it was expected to fail, and did not')
}

export const catchErrorCode = async (work: () => unknown) => (await catchToolError(work)).code

/** Returns everything in a folder as one string: names, types, modes, contents. */
export function snapshotTree(folder: string): string {
  const script = 'find . -printf "%P %y %m %l\\n" | sort; find . -type f -print0 | sort -z | xargs -0 -r sha256sum'
  return execaSync('sh', ['-c', script], { cwd: folder }).stdout
}

/** Counts this process's open descriptors of the workspace's files. */
export function countOpenDescriptors({ root }: ToolFixture): number {
  const script = 'readlink /proc/$1/fd/* | grep -c -F "$2"; true'
  return Number(execaSync('sh', ['-c', script, 'sh', String(process.pid), dirname(root)]).stdout)
}
