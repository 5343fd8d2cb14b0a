// Tests that a browser starts in the sandbox, as the MCP servers that drive one need it.
import t from 'tap'
import { defaultSettings } from '../../src/config/merge.ts'
import { startApp } from '../start-app.ts'
import { needs } from '../support/needs.ts'
import { runApproved } from '../tools/commands/jobs.ts'

const settings = { sandbox: { ...defaultSettings().sandbox, level: 'workspace' as const } }

t.test('Chromium without its own sandbox', needs('bwrap', 'chromium'), async t => {
  const app = await startApp(
    t,
    { 'page.html': '<p id="greeting"></p><script>greeting.append(6 * 7)</script>\n' },
    { settings }
  )
  const flags = '--headless --no-sandbox --disable-gpu'
  const command = `chromium ${flags} --dump-dom "file://$PWD/page.html" 2>/dev/null`
  t.match(await runApproved(app, 'shell_exec', { command }), {
    status: 'success',
    result: { data: { stdout: /<p id="greeting">42<\/p>/, exit_code: 0 } }
  })
})
