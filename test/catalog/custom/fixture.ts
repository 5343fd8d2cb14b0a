// Fixture: a server with custom tools, and a user who trusts them or not.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Test } from 'tap'
import type { Contribution, ContributionSource } from '../../../src/config/contributions.ts'
import type { CommandTool } from '../../../src/config/custom-tools.ts'
import { readModuleFolder } from '../../../src/host/modules/module-folder.ts'
import type { TrustStore } from '../../../src/host/trust/trust-store.ts'
import { type Json, type StartOptions, startApp } from '../../start-app.ts'

/** A trust store controlled by a test. */
export class FakeTrust implements TrustStore {
  readonly #trusted = new Map<string, string>()
  readonly #listeners = new Set<() => void>()

  isTrusted(file: string, sha256: string) {
    return this.#trusted.get(file) === sha256
  }

  isKnown(file: string) {
    return this.#trusted.has(file)
  }

  onChange(listener: () => void) {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  set(file: string, sha256: string | undefined) {
    if (sha256 === undefined) this.#trusted.delete(file)
    else this.#trusted.set(file, sha256)
    for (const listener of this.#listeners) listener()
  }
}

/** Contributions defined by a test. */
export class FakeContributions implements ContributionSource {
  #now: readonly Contribution[] = []
  readonly #listeners = new Set<() => void>()

  current() {
    return this.#now
  }

  onChange(listener: () => void) {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  commands(command_tools: Record<string, CommandTool>, about: Partial<Contribution> = {}) {
    this.#now = [{ file: '/config.jsonc', trusted: true, mcp_servers: {}, hooks: [], ...about, command_tools }]
    for (const listener of this.#listeners) listener()
  }
}

/** `tools` are files of the workspace's folder of modules. */
export async function startWithCustomTools(t: Test, tools: Record<string, string>, options: StartOptions = {}) {
  const trust = new FakeTrust()
  const brought = new FakeContributions()
  const files = Object.fromEntries(Object.entries(tools).map(([name, text]) => [`.toolgate/tools/${name}`, text]))
  const app = await startApp(t, { 'a.txt': 'one\n', ...files }, { trust, brought, ...options })
  const events = await app.events('?types=tools.changed')
  const folder = path.join(app.root, '.toolgate/tools')
  return {
    ...app,
    trust,
    brought,
    folder,
    /** Trusts the current content of the folder. */
    trustTools: async () => trust.set(folder, (await readModuleFolder(folder))?.sha256),
    writeTool: (name: string, text: string) => app.write(`.toolgate/tools/${name}`, text),
    writeUserTool(name: string, text: string) {
      const file = path.join(app.folder, 'config/toolgate/tools', name)
      mkdirSync(path.dirname(file), { recursive: true })
      writeFileSync(file, text)
    },
    /** Returns the next `tools.changed` event that matches. */
    changed: async (fits: (event: Json) => boolean = () => true) => (await events.type('tools.changed', fits)).at(-1),
    states: async (): Promise<Json[]> => (await app.get('/capabilities')).custom_tools,
    /** Runs a tool with approval. */
    async run(tool: string, params: unknown, more: object = {}) {
      const call = await app.call(tool, params, more)
      if (call.status !== 'awaiting_approval') return call
      const { tool_call_id, approval } = call
      const body = { tool_call_id, digest: approval.digest, confirm: true }
      return (await app.request('POST', '/approve?wait_ms=120000', body)).body
    }
  }
}

export const GREET_TOOL = `
  export default {
    description: 'Greet somebody.',
    effect: 'read',
    input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    run: ({ name }: { name: string }) => 'Hello, ' + name
  }`
