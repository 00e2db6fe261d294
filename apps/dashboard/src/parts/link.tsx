import { Anchor, type AnchorProps, Button, type ButtonProps, NavLink, type NavLinkProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { type AnchorHTMLAttributes, forwardRef } from 'react';

type Native<P> = P & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof P>;

/** Links within the dashboard, with the library's looks. */
export const TextLink = createLink(
  forwardRef<HTMLAnchorElement, Native<AnchorProps>>(function TextLink(props, ref) {
    return <Anchor ref={ref} {...props} />;
  }),
);

export const ButtonLink = createLink(
  forwardRef<HTMLAnchorElement, Native<ButtonProps>>(function ButtonLink(props, ref) {
    return <Button component="a" ref={ref} {...props} />;
  }),
);

export const NavigationLink = createLink(
  forwardRef<HTMLAnchorElement, Native<NavLinkProps>>(function NavigationLink(props, ref) {
    return <NavLink component="a" ref={ref} {...props} />;
  }),
);
