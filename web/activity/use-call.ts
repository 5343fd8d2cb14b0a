// Follows one call: fetches it, and fetches it again after each event about it.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Call } from '../../src/client/client.ts'
import { client, toErrorMessage } from '../session/session.ts'
import { onEvent } from '../store/updates.ts'
import { callIdOf } from './events.ts'

export function useCall(id: string) {
  const call = useSignal<Call | undefined>(undefined)
  const fault = useSignal<string | undefined>(undefined)
  useEffect(() => {
    const stop = new AbortController()
    let asking = false
    let again = false
    const ask = async () => {
      again = asking
      if (asking) return
      asking = true
      try {
        call.value = await client().get(id, { signal: stop.signal })
        fault.value = undefined
      } catch (error) {
        if (!stop.signal.aborted) fault.value = toErrorMessage(error)
      }
      asking = false
      if (again && !stop.signal.aborted) await ask()
    }
    void ask()
    const end = onEvent(event => {
      if (event.type !== 'tool.progress' && callIdOf(event) === id) void ask()
    })
    return () => {
      end()
      stop.abort()
    }
  }, [id])
  return { call: call.value, fault: fault.value }
}
