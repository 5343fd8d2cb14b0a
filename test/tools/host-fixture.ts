// Fixture: a tool context with the whole host: processes, searches and the file list, on a real workspace.
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Static, TSchema } from 'typebox'
import { openWorkspace } from '../../src/host/files/paths.ts'
import { searchExcludeGlobs, secretNamesOf } from '../../src/host/files/policy/path-policy.ts'
import { OutputStore } from '../../src/host/processes/outputs/output-store.ts'
import { Processes, type ProcessesOptions } from '../../src/host/processes/processes.ts'
import type { Spawner } from '../../src/host/processes/spawner/spawner.ts'
import { FileList } from '../../src/host/search/file-list.ts'
import { Ripgrep } from '../../src/host/search/ripgrep.ts'
import { Watcher } from '../../src/host/watch/watcher.ts'
import type { RunContext } from '../../src/tool/contexts.ts'
import type { Progress } from '../../src/tool/result.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { CALL_ID } from '../call-id.ts'
import { within } from '../support/wait.ts'
import { createToolFixture, type FileTree, planOf, type ToolFixture } from './fixture.ts'

export interface HostFixture extends ToolFixture {
  spawner: Spawner
  outputs: OutputStore
  watcher: Watcher
  list: FileList
}

/** One spawner serves all tests of a file. */
export function createHostFixture(
  t: Test,
  spawner: Spawner,
  tree: FileTree = {},
  more: Partial<ProcessesOptions> = {}
): HostFixture {
  const world = createToolFixture(t, tree)
  const workspace = openWorkspace('default', world.root)
  const guard = { stateDir: world.stateDir, sensitive: [] }
  const outputs = new OutputStore(join(world.stateDir, 'outputs'), { spill_bytes: 1 << 20 })
  const ripgrep = new Ripgrep(spawner, workspace, {
    exclude: searchExcludeGlobs(workspace, guard),
    secrets: secretNamesOf(guard)
  })
  const watcher = new Watcher(workspace)
  const list = new FileList(workspace, ripgrep, watcher)
  const effects = { signal: world.abort.signal, commitIntent: async () => {}, recordChange: () => {} }
  const processes = new Processes(spawner, outputs, workspace, effects, { call_id: CALL_ID, env_allow: [], ...more })
  t.teardown(async () => {
    list.close()
    watcher.close()
    await outputs.flushed()
  })
  const ctx = { ...world.ctx, host: { ...world.ctx.host, list, ripgrep, processes } }
  return { ...world, ctx, spawner, outputs, watcher, list }
}

/** Runs a streaming tool: returns its progress and its answer. */
export async function drainProgress<I extends TSchema, O extends TSchema, P>(
  tool: Tool<I, O, P>,
  input: Static<I>,
  ctx: RunContext
) {
  const told: Progress[] = []
  const { state } = await planOf(tool, input, ctx)
  const running = tool.run(input, ctx, state) as AsyncGenerator<Progress, Static<O>>
  for (;;) {
    const step = await within('the next progress of the tool, or its end', running.next())
    if (step.done) return { told, answer: step.value }
    told.push(step.value)
  }
}
