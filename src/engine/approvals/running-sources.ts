// Files that running commands execute, as they were when the commands started. A shell or a package manager reads some of them only
// later, so changing one may change what a command does that was decided on.
import type { PathFacts } from '../policy/policy-input.ts'

interface RunningCommand {
  tool_call_id: string
  workspace: string
  /** Relative to the root, also where there is no file. */
  paths: ReadonlySet<string>
}

export class RunningSources {
  readonly #running = new Set<RunningCommand>()

  /** Adds a command that starts. */
  add(command: RunningCommand) {
    this.#running.add(command)
  }

  /** Removes one command of a call that has ended. */
  remove(tool_call_id: string) {
    const ended = [...this.#running].find(command => command.tool_call_id === tool_call_id)
    if (ended) this.#running.delete(ended)
  }

  /** Returns why writing to these paths needs approval; undefined if no running command executes one of them. */
  explainWrite(workspace: string, used: readonly Pick<PathFacts, 'path' | 'access' | 'tree'>[]): string | undefined {
    const writes = used.filter(({ access }) => access === 'write')
    for (const { tool_call_id, paths } of [...this.#running].filter(command => command.workspace === workspace))
      for (const source of paths)
        if (writes.some(({ path, tree }) => path === source || (tree && source.startsWith(`${path}/`))))
          return `A command that is still running (${tool_call_id}) executes ${source} and may read the file again.`
    return undefined
  }
}
