// A button that saves the whole output of a command as a file.
import { useSignal } from '@preact/signals'
import { client } from '../session/session.ts'
import { formatBytes } from '../text/format.ts'
import { downloadOutput } from './output-follower.ts'

export function DownloadButton({ id, onFault }: { id: string; onFault: (error: unknown) => void }) {
  const got = useSignal<number | undefined>(undefined)
  const download = async () => {
    got.value = 0
    try {
      const blob = await downloadOutput(client(), id, bytes => {
        got.value = bytes
      })
      const link = Object.assign(document.createElement('a'), {
        href: URL.createObjectURL(blob),
        download: `${id}.txt`
      })
      link.click()
      URL.revokeObjectURL(link.href)
    } catch (error) {
      onFault(error)
    }
    got.value = undefined
  }
  return (
    <button type="button" class="button" disabled={got.value !== undefined} onClick={() => void download()}>
      {got.value === undefined ? 'Download' : formatBytes(got.value)}
    </button>
  )
}
