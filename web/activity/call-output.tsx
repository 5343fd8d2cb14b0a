// The output of a command, with its colours and a search.

import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Call } from '../../src/client/client.ts'
import { DownloadButton } from '../jobs/download-button.tsx'
import { OutputFollower } from '../jobs/output-follower.ts'
import { OutputTerminal } from '../jobs/output-terminal.tsx'
import { has } from '../session/place.ts'
import { client, toErrorMessage } from '../session/session.ts'
import { ErrorNotice } from '../shell/error-notice.tsx'

/** Returns whether the server has output of the call. A hub does not have it. */
export function hasOutput(call: Call): boolean {
  if (has('servers') || ('content_removed' in call && call.content_removed)) return false
  if (call.status === 'success') return call.result.output_href !== undefined
  return call.status === 'running' && isCommand(call)
}

/** Returns whether a call that has no result yet can have output. */
const isCommand = ({ params }: Call) => typeof (params as { command?: unknown } | null)?.command === 'string'

export function CallOutput({ call: { tool_call_id: id, tool } }: { call: Call }) {
  const output = useMemo(() => new OutputFollower(client(), id, 0), [id])
  const fault = useSignal<string | undefined>(undefined)
  useEffect(() => () => output.close(), [output])
  return (
    <>
      <ErrorNotice text={fault.value} />
      <OutputTerminal output={output} label={`Output of ${tool}`}>
        <DownloadButton id={id} onFault={error => (fault.value = toErrorMessage(error))} />
      </OutputTerminal>
    </>
  )
}
