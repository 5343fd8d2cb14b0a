// Tests of the order of reports while a comparison takes long.
// tier: quick
import { mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import t from 'tap'
import { viaRealPath } from '../../../src/host/files/dir-access.ts'
import { openWorkspace } from '../../../src/host/files/paths.ts'
import { ExternalChangeTracker } from '../../../src/host/watch/external-change-tracker.ts'
import { IgnoreRules } from '../../../src/host/watch/ignore-rules.ts'
import type { WatchEvents, Watcher } from '../../../src/host/watch/watcher.ts'
import { within } from '../../support/wait.ts'

t.test('does not report a later change first because it is inspected later', async t => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'tracker-')))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  const names = ['first.txt', 'second.txt']
  let report: (events: WatchEvents) => void = () => {}
  const watcher: Pick<Watcher, 'start' | 'isLive' | 'stopReason' | 'subscribe' | 'settled' | 'folders' | 'rulesIn'> = {
    start: async () => {},
    isLive: true,
    stopReason: undefined,
    subscribe: listener => {
      report = listener
      return () => {}
    },
    settled: async () => {},
    folders: () => [],
    rulesIn: () => IgnoreRules.aboveRoot(root)
  }
  const reports: string[][] = []
  const { promise: all, resolve } = Promise.withResolvers<void>()
  const tracker = new ExternalChangeTracker(
    openWorkspace('default', root, viaRealPath),
    { stateDir: join(root, '.state'), sensitive: [] },
    watcher as Watcher,
    {
      onChanges: async (_, changes) => {
        reports.push(changes.map(({ path }) => path))
        if (reports.flat().length === names.length) resolve()
      },
      isInFlight: () => false,
      onStopped: (_, why) => t.fail(why),
      onResumed: () => t.fail('it has not stopped')
    }
  )
  await tracker.start()
  t.teardown(() => tracker.close())

  // Both have changed just before the comparison begins. By the time the second is inspected, that is long ago.
  const changed = 2_000_000_000_000
  for (const name of names) {
    writeFileSync(join(root, name), '')
    utimesSync(join(root, name), changed / 1_000, changed / 1_000)
  }
  let looks = 0
  const clock = mock.method(Date, 'now', () => changed + (++looks <= 2 ? 10 : 1_000))
  t.teardown(() => clock.mock.restore())
  report({ paths: names, folders: [], gone: [], everything: false } as unknown as WatchEvents)
  await within('reports of both', all)
  t.strictSame(reports, [names])
})
