// Tests of search relevance on this project itself. `npm run bench -- --only search_code` prints the same.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { type Json, startApp } from '../../start-app.ts'
import { LIMIT_MS } from '../../support/wait.ts'
import { copyProject, measureRelevance, QUESTIONS, rankByRipgrep } from './measure.ts'

/** Indexing all of the project takes some 12 s of processor time, and others use the processors meanwhile. */
const INDEXING_LIMIT_MS = 4 * LIMIT_MS

t.test('the file sought is among the first five', async t => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-relevance-')))
  const root = path.join(folder, 'ws')
  copyProject(root)
  const app = await startApp(t, {}, { folder })
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const events = await app.events()
  // Each question is asked once, and counted in its part and in the total.
  const answers = new Map<string, string[]>()
  const ask = async (query: string): Promise<string[]> => {
    const known = answers.get(query)
    if (known) return known
    const { result } = await app.call('search_code', { query, limit: 20 })
    const found: string[] = result.data.hits.map(({ path }: Json) => path)
    answers.set(query, found)
    return found
  }
  const { result } = await app.call('search_code', { query: 'begin' })
  if (result.data.index.state !== 'ready')
    await events.type('index.changed', ({ state }) => state === 'ready', INDEXING_LIMIT_MS)

  const all = Object.values(QUESTIONS).flat()
  t.ok(all.length >= 60)
  for (const [part, asked] of Object.entries(QUESTIONS)) t.comment(part, await measureRelevance(asked, ask))
  const ours = await measureRelevance(all, ask)
  const counted = await measureRelevance(all, question => rankByRipgrep(root, question))
  t.comment('all', ours, 'by counting words', counted)
  t.ok(ours.in_first_five >= 0.85, `${Math.round(100 * ours.in_first_five)} % among the first five`)
  t.ok(ours.in_first_five > counted.in_first_five, 'more than by counting words')
})
