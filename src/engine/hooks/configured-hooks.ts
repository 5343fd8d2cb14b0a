// Selection of hooks for a call: the administrator's, then the user's, then those of its workspace, each in file order. No file
// can remove hooks of another.
import type { ContributionSource } from '../../config/contributions.ts'
import type { Hook } from '../../config/hooks.ts'
import type { HookRun } from '../../protocol/hook-run.ts'
import type { CallFacts } from '../policy/policy-input.ts'
import { prepareRules, ruleMatches } from '../policy/rules.ts'

export interface NamedHook {
  hook: Hook
  name: string
  source: HookRun['source']
}

/** A configured hook, active or not. */
interface ListedHook {
  name: string
  when: Hook['when']
  state: 'ready' | 'untrusted'
  file?: string
  /** Root of the workspace that contributes it. */
  workspace?: string
}

export class ConfiguredHooks {
  readonly #contributions: ContributionSource

  constructor(brought: ContributionSource) {
    this.#contributions = brought
  }

  /** Returns true if any hook may match calls in that workspace, given by its root. */
  has(when: Hook['when'], root: string): boolean {
    return this.#hooksFor(when, root).next().done === false
  }

  /** Returns the hooks that match the call; uncertain matches are included. */
  async findMatching(when: Hook['when'], root: string, facts: CallFacts): Promise<NamedHook[]> {
    const all = [...this.#hooksFor(when, root)]
    await prepareRules(all.map(({ hook }) => ({ match: hook.match ?? {} })))
    return all.filter(({ hook: { match = {} } }) => ruleMatches({ effect: 'ask', match }, facts) !== false)
  }

  list(): ListedHook[] {
    return this.#contributions.current().flatMap(({ hooks, trusted, file, workspace }) =>
      hooks.map(hook => ({
        name: toHookName(hook),
        when: hook.when,
        state: trusted ? ('ready' as const) : ('untrusted' as const),
        ...(file !== undefined && { file }),
        ...(workspace !== undefined && { workspace })
      }))
    )
  }

  *#hooksFor(when: Hook['when'], root: string): Generator<NamedHook> {
    for (const { hooks, trusted, workspace } of this.#contributions.current()) {
      if (!trusted || (workspace !== undefined && workspace !== root)) continue
      const source = workspace === undefined ? 'configuration' : 'workspace'
      for (const hook of hooks) if (hook.when === when) yield { hook, name: toHookName(hook), source }
    }
  }
}

const MAX_NAME_LENGTH = 80

const toHookName = ({ name, command, module }: Hook): string =>
  name ?? (module ?? command!.join(' ')).slice(0, MAX_NAME_LENGTH)
