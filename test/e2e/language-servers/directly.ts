// Queries a language server about a project directly, to compare with the results of calls.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import type { Json } from '../../start-app.ts'
import { DirectLspClient } from './client.ts'
import { type LspProject, writeFiles } from './projects.ts'
import { askDirectly } from './truth.ts'

/** Starts the project's server on a new folder, and returns its answers to every query. */
export async function directly(t: Test, project: LspProject) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'directly-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeFiles(project, folder)
  const { argv, options, settings } = project
  const client = await DirectLspClient.start({ argv, folder, options: options?.(folder), settings })
  t.teardown(() => client.stop())
  return askDirectly(client, project)
}

/** Sorts diagnostics independently of their source. */
export const sorted = (found: Json[]) => found.map(one => JSON.stringify(one, Object.keys(one).sort())).sort()
