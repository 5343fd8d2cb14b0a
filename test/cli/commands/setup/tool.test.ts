// tier: full
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { waitUntil } from '../../../support/wait.ts'
import { createProject } from '../../toolgate.ts'

t.test('creates, trusts, lists and calls a tool; reports broken ones', async t => {
  const { toolgate, serve, project } = createProject(t)
  const begun = await toolgate(['tool', 'new', 'greet'])
  t.equal(begun.code, 0)
  t.equal(
    begun.stdout,
    `Wrote .toolgate/tools/greet.ts. Change it to what you need.
To use the tool, trust its folder first: toolgate trust .toolgate/tools
To check the tool: toolgate tool check
`
  )
  t.match(readFileSync(path.join(project, '.toolgate/tools/greet.ts'), 'utf8'), /from 'toolgate\/tool'/)
  t.match(await toolgate(['tool', 'new', 'greet', '--js']), { code: 6, stderr: /greet\.ts already exists/ })
  t.match(await toolgate(['tool', 'new', 'Greet-Them']), { code: 2, stderr: /Invalid tool name: Greet-Them/ })

  const user = await toolgate(['tool', 'new', 'greet_all', '--js', '--user', '--json'])
  const { file } = JSON.parse(user.stdout) as { file: string }
  t.match(file, /\.config\/toolgate\/tools\/greet_all\.mjs$/)
  t.ok(existsSync(file))

  await serve()
  const states = async () => JSON.parse((await toolgate(['tool', 'check', '--json'])).stdout) as { state: string }[]
  await waitUntil('both tools to be listed', async () => (await states()).length === 2)
  t.match(await states(), [
    { name: 'greet_all', state: 'served' },
    { name: 'greet', state: 'untrusted' }
  ])
  t.match(await toolgate(['tool', 'check']), { code: 0, stdout: /^greet +untrusted .*toolgate trust /m })
  t.match(await toolgate(['trust', '.toolgate/tools', '--yes']), { code: 0 })
  await waitUntil('both tools to be served', async () => (await states()).every(({ state }) => state === 'served'))
  t.match(await toolgate(['tools', 'greet']), { stdout: /effect execute/ })
})

t.test('without tools, explains how to create one', async t => {
  const { toolgate, serve } = createProject(t)
  await serve()
  t.match(await toolgate(['tool', 'check']), { code: 0, stderr: /Create one with: toolgate tool new NAME/ })
})
