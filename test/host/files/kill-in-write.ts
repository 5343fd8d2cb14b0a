// Writes a file and hangs between the temporary file and the rename, to be killed there.
import { Files } from '../../../src/host/files/files.ts'
import { openWorkspace } from '../../../src/host/files/paths.ts'

const [root, stateDir] = process.argv.slice(2) as [string, string]
const effects = {
  signal: new AbortController().signal,
  commitIntent: () => {
    // The file is staged in the same turn.
    setImmediate(() => process.stdout.write('ready'))
    return new Promise<void>(() => setInterval(() => {}, 1000))
  },
  recordChange: () => {}
}
const files = new Files(openWorkspace('w', root), { stateDir, sensitive: [] }, effects)
await files.create('killed.txt', Buffer.from('half'))
