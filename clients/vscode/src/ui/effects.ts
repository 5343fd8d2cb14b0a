// Effects that the server can request for a call: showing files, diagnostics, proposals and previews. None takes the focus.
import type { EffectHandlers } from '../../../../src/client/delegation-handling.ts'
import type { CallEditors } from './call-editors.ts'

export function createEffectHandlers(editors: CallEditors): EffectHandlers {
  return {
    // The notification and the tree show that the call waits. The view ends when the person closes it, or the call is decided.
    'preview.open': async (_params, { delegation, signal }) => {
      await editors.opened(delegation.tool_call_id, signal)
      await editors.closed(delegation.tool_call_id, signal)
    }
  }
}
