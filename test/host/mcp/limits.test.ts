// Tests of the resource limits of one MCP server.
// tier: quick
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { waitForState, withMcpServers } from './scripted-settings.ts'

/** Writes the limits of the process. */
const REPORT = 'ulimit -n > limits.txt; ulimit -t >> limits.txt'
/** Writes the exit code of a program that takes 100 MB of memory. */
const REPORT_MEMORY = `${REPORT}; head -c 100000000 /dev/zero | tail -c 100000000 > /dev/null; echo $? >> limits.txt`

t.test('an entry limits its server, but never lifts the limit of open files', needs('bwrap', 'cgroups'), async t => {
  const { sandbox } = defaultSettings()
  const report = async (limits: object, script: string) => {
    const server = { command: 'sh', args: ['-c', script], limits }
    const settings = { ...withMcpServers({ server }), sandbox: { ...sandbox, level: 'workspace' as const } }
    const app = await startApp(t, {}, { settings })
    await waitForState(app, 'server', 'backing_off')
    return app.read('limits.txt')
  }
  const own = { cpu_seconds: 3_600, memory_bytes: 33_554_432, open_files: 100 }
  t.equal(await report(own, REPORT_MEMORY), '100\n3600\n137\n')
  t.equal(await report({ open_files: 100_000 }, REPORT), '4096\nunlimited\n')
})
