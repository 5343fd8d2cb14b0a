// Loads what most test files need, so that it is no cost of the first one of a process.
import type { Test } from 'tap'
import { startApp } from '../start-app.ts'
import { takeMissed } from './needs.ts'

/** Starts a server, makes a call, and stops it. */
export async function warmUp() {
  const teardowns: (() => unknown)[] = []
  const t = { teardown: (end: () => unknown) => teardowns.push(end) }
  const app = await startApp(t as unknown as Test, { 'a.txt': 'one\n' })
  await app.call('read_file', { path: 'a.txt' })
  for (const end of teardowns) await end()
  takeMissed()
}
