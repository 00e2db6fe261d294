import type { Capability } from '@hcp/core';
import type { ComponentType } from 'react';
import { may, useMe } from '../../app/session.js';
import { Empty } from '../../parts/empty.js';
import { Page } from '../../parts/page.js';

/** A page that is for some people only; others are told so, and whom to ask. The API decides each call all the same. */
export function only(capability: Capability, title: string, Content: ComponentType): ComponentType {
  return function Only() {
    const me = useMe();
    if (may(me, capability)) return <Content />;
    return (
      <Page title={title}>
        <Empty title="You may not open this page">
          It takes the right {capability}. Ask somebody who manages access to grant it to you.
        </Empty>
      </Page>
    );
  };
}
