// Keeps the rest of the page where one part of it cannot be shown, such as an event of a server of another version.
import { Component, type ComponentChildren } from 'preact'

export class Boundary extends Component<{ children: ComponentChildren }, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static override getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    return this.state.hasFailed ? (
      <p class="notice bad">This call cannot be displayed. View it on its server.</p>
    ) : (
      this.props.children
    )
  }
}
