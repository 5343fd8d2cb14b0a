// tier: full
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { startHttpService } from '../../../notify/http-service.ts'
import { createProject, UNSANDBOXED } from '../../toolgate.ts'

t.test('notify: lists and tests channels, and doctor reports what is wrong with them', async t => {
  const service = await startHttpService(t, [{ status: 500, body: 'busy' }])
  const at = createProject(t)
  const folder = path.join(at.home, '.config', 'toolgate')
  mkdirSync(folder, { recursive: true })
  const channels = {
    phone: { kind: 'ntfy', url: `${service.url}/topic` },
    hook: { kind: 'webhook', url: service.url, secret_file: 'missing' }
  }
  writeFileSync(path.join(folder, 'config.jsonc'), JSON.stringify({ notifications: { channels } }))
  await at.serveIn(UNSANDBOXED)
  const busy = /^phone \(ntfy\): 127\.0\.0\.1:\d+ returned status 500: busy\n$/
  t.match(await at.toolgate(['notify', 'test', 'phone']), { code: 1, stdout: busy })
  const doctor = async () => JSON.parse((await at.toolgate(['doctor', '--json'])).stdout)
  const aboutChannels = ({ check }: { check: string }) => check === 'notifications'
  t.match((await doctor()).filter(aboutChannels), [
    { state: 'ok', found: /^phone \(ntfy\) is configured/ },
    { state: 'warn', found: /^hook \(webhook\): The file of secret_file, .*missing, cannot be read: ENOENT/ },
    { state: 'warn', found: /^the latest notification by phone \(ntfy\) failed at .*status 500/ }
  ])
  const { code, stdout } = await at.toolgate(['notify', 'test'])
  t.equal(code, 1)
  t.match(stdout, /^phone \(ntfy\): accepted\nhook \(webhook\): The file of secret_file/)
  t.match(await at.toolgate(['notify', 'list']), {
    code: 0,
    stdout:
      /^CHANNEL +KIND +PENDING +LAST SUCCESS +LAST ERROR *\nphone +ntfy +0 +2\S+Z .*status 500: busy\nhook +webhook +0 +The file/
  })
  t.match(JSON.parse((await at.toolgate(['--json', 'notify', 'list'])).stdout), [{ name: 'phone' }, { name: 'hook' }])
  t.match(await at.toolgate(['notify', 'test', 'other']), { stderr: /There is no notification channel "other"/ })
})
