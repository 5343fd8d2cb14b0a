// Makes a folder that cannot be read, as an ordinary user, and prints what the commands after it give, as JSON.
import { startSandboxFixture } from './fixture.ts'

const endings: (() => unknown)[] = []
const world = await startSandboxFixture({ teardown: handler => endings.unshift(handler) })
const results = [
  await world.run('mkdir closed; echo secret >closed/file; chmod 0 closed'),
  await world.run('chmod 700 closed; cat closed/file; echo ran'),
  await world.run('cat closed/file; echo ran', { level: 'read-only' })
]
for (const end of endings) await end()
console.log(
  JSON.stringify(
    results.map(({ stdout, exit_code, unchecked }) => ({ stdout, exit_code, ...(unchecked && { unchecked }) }))
  )
)
