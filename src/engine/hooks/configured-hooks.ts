// Which hooks look at a call: the administrator's, then the user's, then those of its workspace, each as its file has them.
// No file takes away what another brings.
import type { BroughtSource } from '../../config/contributions.ts'
import type { Hook } from '../../config/hooks.ts'
import type { HookRun } from '../call.ts'
import type { Facts } from '../policy/policy-input.ts'
import { readyFor, ruleHolds } from '../policy/rules.ts'

export interface NamedHook {
  hook: Hook
  name: string
  source: HookRun['source']
}

/** A hook as it is listed, whether it runs or not. */
export interface ListedHook {
  name: string
  when: Hook['when']
  state: 'ready' | 'untrusted'
  file?: string
  /** Root of the workspace that brings it. */
  workspace?: string
}

export class ConfiguredHooks {
  readonly #brought: BroughtSource

  constructor(brought: BroughtSource) {
    this.#brought = brought
  }

  /** Whether any hook may look at calls in that workspace, by its root. */
  any(when: Hook['when'], root: string): boolean {
    return this.#of(when, root).next().done === false
  }

  /** Those that look at such a call. What cannot be told is looked at. */
  async matching(when: Hook['when'], root: string, facts: Facts): Promise<NamedHook[]> {
    const all = [...this.#of(when, root)]
    await readyFor(all.map(({ hook }) => ({ match: hook.match ?? {} })))
    return all.filter(({ hook: { match = {} } }) => ruleHolds({ effect: 'ask', match }, facts) !== false)
  }

  list(): ListedHook[] {
    return this.#brought.current().flatMap(({ hooks, trusted, file, workspace }) =>
      hooks.map(hook => ({
        name: nameOf(hook),
        when: hook.when,
        state: trusted ? ('ready' as const) : ('untrusted' as const),
        ...(file !== undefined && { file }),
        ...(workspace !== undefined && { workspace })
      }))
    )
  }

  *#of(when: Hook['when'], root: string): Generator<NamedHook> {
    for (const { hooks, trusted, workspace } of this.#brought.current()) {
      if (!trusted || (workspace !== undefined && workspace !== root)) continue
      const source = workspace === undefined ? 'configuration' : 'workspace'
      for (const hook of hooks) if (hook.when === when) yield { hook, name: nameOf(hook), source }
    }
  }
}

const NAME_CHARACTERS = 80

const nameOf = ({ name, command, module }: Hook): string =>
  name ?? (module ?? command!.join(' ')).slice(0, NAME_CHARACTERS)
